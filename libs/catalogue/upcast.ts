import { WITHOUT_END } from '#keys/events';
import { entryOf } from './catalogue.js';

export interface VersionedData {
  type: string;
  version: number;
  data: Record<string, unknown>;
}
/** By type: at index i the step from version i + 1 to version i + 2 of its data. */
export type Upcasters = Partial<
  Record<string, readonly ((data: Record<string, unknown>) => Record<string, unknown>)[]>
>;

/** Lifts data step by step; a type or version without a step stays as it is. */
export function createUpcast(upcasters: Upcasters): (event: VersionedData) => VersionedData {
  return (event) => {
    const steps = Object.hasOwn(upcasters, event.type) ? upcasters[event.type]! : [];
    if (event.version > steps.length) return event;
    let { data } = event;
    for (const step of steps.slice(event.version - 1)) data = step(data);
    return { type: event.type, version: steps.length + 1, data };
  };
}

type Data = Record<string, unknown>;

const unchained = (data: Data) => ({ ...data, chain: null });

/** Before populations had scorers of their own, every rung was decided on raw scores. */
const raw = (data: Data) => ({ ...data, scorer: null });

/** Version 1 of a review was a note alone. */
const noOutcome = (data: Data) => ({ ...data, outcome: null });

/** Of a version that only lets more be. */
const asItWas = (data: Data) => data;

/** Version 1 of a side did not keep the residual as it was measured. */
const unmeasured = (side: unknown): unknown =>
  typeof side === 'object' && side !== null ? { ...side, detail_residual_measured: null } : side;

/**
 * Version 1 of a submission kept no digest of a single scan (equal sets share all of theirs), and did not say which
 * ladder was there.
 */
const submitted = ({ rough, polish, ...data }: Data): Data => {
  const [a, b] = [rough, polish] as { digest?: unknown; scans?: unknown }[];
  const equal = a?.digest !== undefined && a.digest === b?.digest;
  return {
    ...data,
    rough: unmeasured(rough),
    polish: unmeasured(polish),
    shared_scans: equal ? a.scans : null,
    ladder_digest: null,
  };
};

const outcomes = ({ stones, false_accept, ...result }: Data): Data => ({
  ...result,
  verdict: null,
  stones: (stones as Data[]).map((stone) => ({
    ...stone,
    outcome: stone.confirmed ? 'confirmed' : 'not_confirmed',
    why: null,
    probability: null,
  })),
  fit: null,
  false_accept: { ...(false_accept as Data), own: null, open_places: null },
});
const tried = ({ caught, one_stone_false_accept, source, ...result }: Data): Data => ({
  ...result,
  ...{ caught, one_stone_false_accept, source },
  tried: [{ substitutes: source === 'cohort' ? 'cohort' : 'lots', caught, one_stone_false_accept }],
  fit: null,
});

/** Before workspaces had scorers of their own, the model's decided. */
const shippedScorer = (data: Data): Data => ({ ...data, result: { ...(data.result as Data), workspace_scorer: null } });

/** Before version 2 a lot scorer's proposal said which lots and checks it rests on, and not by which vectors. */
const lotScorer = ({ proposal, ...data }: Data): Data =>
  unchained({ ...data, proposal: { ...(proposal as Data), evidence_digest: null } });

/** The steps between the versions that were ever written. A type that gets a second version gets its first step here. */
export const upcasters: Upcasters = {
  ApprovalRequested: [unchained, raw],
  RungApproved: [unchained, raw],
  RungWithdrawn: [unchained, raw],
  ClaimSubmitted: [submitted],
  // Before version 2 every answer followed the contract's recommended pattern.
  ClaimScored: [(data) => ({ ...data, action_reasons: null })],
  ClaimRepeated: [(data) => ({ ...data, sent: null })],
  // Version 1 kept a side whole or not at all: any part may be missing.
  ClaimRefused: [asItWas],
  ClaimReplayed: [submitted],
  ClaimReviewed: [noOutcome, asItWas],
  FindingReviewed: [noOutcome, asItWas],
  // Before version 2 a key had neither an end nor a rate of its own.
  KeyCreated: [(data) => ({ ...data, life: WITHOUT_END })],
  LotEnrolled: [(data) => ({ ...data, fit: null })],
  LotChecked: [(data) => ({ ...data, result: outcomes(data.result as Data) }), shippedScorer],
  LotScorerRequested: [lotScorer],
  LotScorerApproved: [lotScorer],
  LotScorerWithdrawn: [unchained],
  LotRehearsed: [(data) => ({ ...data, result: tried(data.result as Data) }), shippedScorer],
};

/** To be given to whatever reads a log. */
export const upcast = createUpcast(upcasters);

/** True if this code knows the type at this version, after upcasting. */
export function isKnownEvent({ type, version }: { type: string; version: number }): boolean {
  return entryOf(type)?.version === version;
}
