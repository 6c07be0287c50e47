/** OpenTelemetry traces where an endpoint is configured; without one nothing below does anything. */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Tracing } from './tracing-sdk.js';

const TRACER = 'match-verification-service';

export type { Tracing };

/** While false, everything below only runs what it is given. */
let traced = false;

/**
 * Turns traces on for this process. The exporter's packages are loaded only here.
 * @param endpoint OTLP over HTTP, as `http://collector:4318`
 * @param exporter instead of the endpoint's
 */
export async function startTracing(service: string, endpoint: string, exporter?: SpanExporter): Promise<Tracing> {
  const tracing = (await import('./tracing-sdk.js')).startTracing(service, endpoint, exporter);
  traced = true;
  return {
    close() {
      traced = false;
      return tracing.close();
    },
  };
}

/** Runs the work within a span; a rejection marks it, by the error's name alone: messages may quote input. */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  parent?: Context,
): Promise<T> {
  if (!traced) return work();
  const begin = parent ?? context.active();
  const span = trace.getTracer(TRACER).startSpan(name, { attributes }, begin);
  try {
    return await context.with(trace.setSpan(begin, span), work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
    throw error;
  } finally {
    span.end();
  }
}

/** W3C `traceparent` of the work under way. */
export function traceparent(): string | undefined {
  if (!traced) return undefined;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

export const contextOf = (traceparent: string | undefined): Context =>
  propagation.extract(context.active(), traceparent === undefined ? {} : { traceparent });

/** The span of an HTTP request, which goes on where the caller's trace stands; `next` runs within it. */
export function beginRequest(method: string, caller: string | undefined, next: () => void): Span | undefined {
  if (!traced) {
    next();
    return undefined;
  }
  const parent = contextOf(caller);
  const span = trace.getTracer(TRACER).startSpan(`HTTP ${method}`, { kind: SpanKind.SERVER }, parent);
  context.with(trace.setSpan(parent, span), next);
  return span;
}
