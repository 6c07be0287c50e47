/** What is stored of a call that got no verdict, and of the sides of one that did. */
import type { UploadedSide, UploadFindings } from '#kit/queue/upload';
import type { Call, Unanswered } from './call.js';
import type { SideFacts } from './events.js';
import type { ClaimRefused } from './events-calls.js';

/** @property findings what could be read of the refused upload, where the refusal knows it */
export interface Refusal {
  status: number;
  reason: string;
  side?: 'rough' | 'polish';
  findings?: UploadFindings;
}

export function refusedCall(
  call: Call,
  { latency, findings: learnt = {} }: Unanswered,
  { findings = learnt, ...refusal }: Refusal,
  at: string,
): ClaimRefused['data'] {
  const { rejectTarget, rough, polish } = findings;
  return {
    request_id: call.requestId,
    key: call.key,
    transport: call.transport,
    ...refusal,
    ...(rejectTarget !== undefined && { reject_target: rejectTarget }),
    ...(rough && { rough: factsOf(rough) }),
    ...(polish && { polish: factsOf(polish) }),
    ...(call.replayBy !== undefined && { replay: true }),
    latency_ms: { ...latency },
    at,
  };
}

/** The stored facts of a side; a refused side lacks those that could not be measured. */
export function factsOf(side: UploadedSide): SideFacts;
export function factsOf(side: Partial<UploadedSide>): Partial<SideFacts>;
export function factsOf({ digest, count, duplicates, shortCoverage, references, gauges }: Partial<UploadedSide>) {
  const facts: Partial<SideFacts> = {
    digest,
    scans: count,
    duplicates,
    short_coverage: shortCoverage,
    references,
    sharpness: gauges?.sharpness,
    detail_residual: gauges?.detailResidual,
    detail_residual_measured: gauges?.measuredResidual,
    locally_polynomial: gauges?.locallyPolynomial,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Partial<SideFacts>;
}
