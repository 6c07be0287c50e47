/** The ladders and probability curves that ship beside a model for populations' own scorers, by the size of a bank. */
import { createHash } from 'node:crypto';
import { floatsOf } from '#science/numerics/little-endian';
import { Refusal } from '#science/spectra/refusal';
import type { StoneSource } from '../asset.js';
import type { Isotonic } from '../isotonic.js';
import { REJECT_TARGETS, type RejectTarget } from '../ladder.js';
import { type Covariances, TRIANGLE } from './map.js';
import { leastGroups, SCORER_GROUPS, SCORER_METHODS, type ScorerMethod } from './method.js';

/** The ladders' file, beside the model's. */
export const SCORER_FILE = 'scorer.json';
const SCHEMA = 1;

/** One rung carried over from the calibration population, whose scores are by its own scorer. */
export interface ScorerRung {
  reject_target: RejectTarget;
  threshold: number;
  /** Share of genuine claims of the calibration population above it; null where it is not measured. */
  expected_genuine_accept: number | null;
}

/** Ladder and curve for a scorer of so many groups, up to the next one's number. */
export interface BankLadder {
  groups: number;
  rungs: ScorerRung[];
  p_match_5050: Isotonic;
}

export interface ScorerLadders {
  schema: typeof SCHEMA;
  /** Scorers that are made with them score by it. */
  method: ScorerMethod;
  model_digest: string;
  /** The stones that banks are drawn from, and those that are judged. */
  source: { bank: StoneSource; judged: StoneSource; draws: number };
  /** Simulated worlds that none of these stones is of, for scorers of few groups. */
  worlds?: { source: StoneSource; covariances: Record<keyof Covariances, string>[] };
  /** Fewer groups first. */
  banks: BankLadder[];
}

/** Covariances by encoder, which a file holds as base64 of float32; none where scorers are not drawn towards worlds. */
export const covariancesOf = ({ worlds }: Pick<ScorerLadders, 'worlds'>): Covariances[] =>
  (worlds?.covariances ?? []).map(({ within, across }) => {
    const [w, a] = [within, across].map((values) => floatsOf(Buffer.from(values, 'base64')));
    return { within: w, across: a };
  });

/** Reads the ladders made for this model. Throws a Refusal of kind `asset` for any other content. */
export function loadScorerLadders(
  text: string,
  model: { digest: string; encoders: readonly unknown[] },
): ScorerLadders {
  const refuse = (why: string): never => {
    throw new Refusal('asset', { reason: `the scorer's ladders ${why}`, fix: 'contact the operator, do not retry' });
  };
  let ladders: ScorerLadders;
  try {
    ladders = JSON.parse(text);
  } catch {
    return refuse('are not valid JSON');
  }
  if (ladders?.schema !== SCHEMA) return refuse(`are not of schema ${SCHEMA}`);
  if (!SCORER_METHODS.includes(ladders.method)) return refuse(`are of no method of ${SCORER_METHODS.join(', ')}`);
  if (ladders.model_digest !== model.digest) return refuse('were made for another model');
  const { banks } = ladders;
  if (!Array.isArray(banks) || banks[0]?.groups !== leastGroups(ladders.method)) return refuse('are incomplete');
  for (const [i, bank] of banks.entries()) {
    const fault = ladderFault(bank?.rungs) ?? curveFault(bank?.p_match_5050);
    if (fault) return refuse(fault);
    if (i > 0 && !(bank.groups > banks[i - 1].groups)) return refuse('are not ordered by groups');
  }
  if (leastGroups(ladders.method) < SCORER_GROUPS.many) {
    const covariances = covariancesOf(ladders);
    const whole = (values: Float32Array) => values.length === TRIANGLE && values.every(Number.isFinite);
    if (
      covariances.length !== model.encoders.length ||
      !covariances.every(({ within, across }) => whole(within) && whole(across))
    )
      return refuse('are without the covariances of worlds: mvs calibrate --scorer-only makes them');
  }
  return ladders;
}

/** The fault of a ladder; undefined if there is none. */
export function ladderFault(rungs: unknown): string | undefined {
  if (!Array.isArray(rungs) || rungs.length !== REJECT_TARGETS.length) return 'have a ladder without every rung';
  for (const [i, rung] of (rungs as Partial<ScorerRung>[]).entries()) {
    const { reject_target, threshold, expected_genuine_accept: expected } = rung ?? {};
    if (reject_target !== REJECT_TARGETS[i]) return 'have a ladder without every rung';
    if (typeof threshold !== 'number' || !(Math.abs(threshold) <= 2)) return 'have a threshold outside -2 to 2';
    if (i > 0 && threshold < (rungs[i - 1] as ScorerRung).threshold) return 'have a ladder that falls';
    if (expected !== null && !(typeof expected === 'number' && expected >= 0 && expected <= 1))
      return 'have an expected_genuine_accept that is no share';
  }
  return undefined;
}

/** The fault of a probability curve; undefined if there is none. */
export function curveFault(curve: Partial<Isotonic> | undefined): string | undefined {
  const { scores, probabilities } = curve ?? {};
  const rises = (values: unknown): values is number[] =>
    Array.isArray(values) && values.every((value, i) => Number.isFinite(value) && (i === 0 || value >= values[i - 1]));
  if (!rises(scores) || !rises(probabilities) || scores.length === 0 || scores.length !== probabilities.length)
    return 'have a probability curve that falls or is incomplete';
  if (probabilities[0] < 0 || probabilities[probabilities.length - 1] > 1) return 'have a probability outside 0 to 1';
  return undefined;
}

/** The values that the digest of a scorer's proposal binds. */
export interface PinnedScorer {
  method: string;
  population: string;
  model: string;
  /** SHA-256 of the ladders as JSON without blanks. */
  ladders: string;
  decisions: number;
  claims: number;
  evidence_digest: string;
}

/** 64 hex digits. */
export function scorerProposalDigest(pinned: PinnedScorer): string {
  const { method, population, model, ladders, decisions, claims, evidence_digest } = pinned;
  const facts = [method, population, model, ladders, decisions, claims, evidence_digest];
  return createHash('sha256')
    .update(JSON.stringify(['mvs-scorer-proposal/1', ...facts]))
    .digest('hex');
}

/** The ladder that serves a scorer of so many groups. */
export function ladderFor(ladders: ScorerLadders, groups: number): BankLadder {
  const found = ladders.banks.findLast((bank) => bank.groups <= groups);
  if (!found) throw new RangeError(`no ladder for ${groups} groups`);
  return found;
}
