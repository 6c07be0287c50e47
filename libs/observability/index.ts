export { fileSink, LogOutput, type Sink, standardOutput, streamSink } from './log-output.js';
export { createMetrics, type Metrics } from './metrics.js';
export { observedScoring, observedStore } from './observed.js';
export { beginRequest, contextOf, inSpan, startTracing, type Tracing, traceparent } from './tracing.js';
