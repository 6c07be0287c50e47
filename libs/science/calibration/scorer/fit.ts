/** A scorer out of a population's counted claims: docs/concepts/scorer-method.md is the definition. */
import type { ThreadPool } from '#kit/threads/pool';
import type { ClaimEvidence } from '../evidence.js';
import type { RejectTarget } from '../ladder.js';
import { REJECT_TARGETS } from '../ladder.js';
import { bankOfEvidence, type ClaimBank } from './bank.js';
import { type ScorerHeader, scorerBytes } from './bytes.js';
import type { ScorerParts } from './core.js';
import type { CrossFigures, KeyFigures, RungComparison } from './cross.js';
import { covariancesOf, ladderFor, type ScorerLadders } from './ladders.js';
import type { Covariances, EncoderMap, ScorerMap } from './map.js';
import { foldBit, LEFT_OUT, leastGroups, SCORER_GROUPS, TRIMMINGS } from './method.js';
import { PopulationScorer } from './scorer.js';
import { sharesOf, weightsOf } from './weights.js';

/** A scorer's figures in a proposal, from the population's own claims, each scored without the bank's scans of it. */
export interface ScorerFigures {
  /** Counted claims, those that the scorer is fitted on (the newest), and their groups. */
  claims: number;
  bank: number;
  groups: number;
  /** Claims that look wrong and take no part in the map. */
  trimmed: number;
  /** Each key's weight in the map, 0 to 1, largest first. */
  shares: { key: string; share: number }[];
  rungs: RungComparison[];
  /** Claims of each half confirmed at 0.98 by a map of the other half alone. */
  stability: { first: number; second: number };
  /** Each key's claims at 0.98. */
  laboratories: KeyFigures[];
  /** No key with enough claims to say so does clearly worse under the map than without. */
  one_map_serves_all: boolean;
  curve: 'own' | 'shipped';
  /** Cross-fitted calibration error of the own curve; null where it has none. */
  ece: number | null;
}

export type NoScorer = 'too few groups of claims' | 'the claims do not distinguish stones';

/**
 * Fits a scorer to the first `claims` claims of the evidence. The same claims, keys and ladders give the same bytes.
 * @param keyOf the key that brought a claim, by its place in the evidence
 * @param shipped the shipped raw threshold of a rung, for the comparison
 */
export async function fitScorer(
  evidence: ClaimEvidence,
  claims: number,
  keyOf: (claim: number) => string,
  ladders: ScorerLadders,
  pool: ThreadPool,
  shipped: (rung: RejectTarget) => number,
): Promise<{ scorer: PopulationScorer; figures: ScorerFigures } | { reason: NoScorer }> {
  const evidence_digest = evidence.digest(claims);
  const counted = evidence.before + claims;
  const bank = bankOfEvidence(evidence, claims);
  const keys = Array.from({ length: bank.claims }, (_, i) => keyOf(claims - bank.claims + i));
  const groups = await pool.run<Int32Array>(new URL('./bank.js', import.meta.url), 'groupsOf', [bank, ladders.method]);
  const count = groups.reduce((max, group) => Math.max(max, group + 1), 0);
  const least = leastGroups(ladders.method);
  if (count < least) return { reason: 'too few groups of claims' };
  const fitted = await fitMaps(bank, groups, weightsOf(groups, keys, least), covariancesOf(ladders), pool);
  if (!fitted) return { reason: 'the claims do not distinguish stones' };
  const { weights, maps } = fitted;
  const ladder = ladderFor(ladders, count);
  const header: ScorerHeader = {
    method: ladders.method,
    population: evidence.population,
    model: evidence.model,
    encoders: [...evidence.encoders],
    claims: counted,
    evidence_digest,
    groups: [...groups],
    weights: [...weights],
    directions: maps.map((map) => map.map(({ rows, rough }) => rows.length / rough.length)),
    ladder: { groups: ladder.groups, population: ladders.source.judged.population, rungs: ladder.rungs },
    curve: { ...ladder.p_match_5050, from: 'shipped' },
  };
  const parts: ScorerParts = { method: ladders.method, bank, groups, maps };
  const draft = scorerBytes(header, parts);
  const cross = await pool.run<CrossFigures>(new URL('./cross.js', import.meta.url), 'crossFigures', [
    draft,
    keys,
    REJECT_TARGETS.map(shipped),
  ]);
  const own = count >= SCORER_GROUPS.ownCurve;
  const bytes = own ? scorerBytes({ ...header, curve: { ...cross.curve, from: 'own' } }, parts) : draft;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const figures: ScorerFigures = {
    claims: counted,
    bank: bank.claims,
    groups: count,
    trimmed: weights.filter((weight) => weight === 0).length,
    shares: [...sharesOf(weights, keys)]
      .map(([key, weight]) => ({ key, share: weight / total }))
      .sort((a, b) => b.share - a.share || (a.key < b.key ? -1 : 1)),
    rungs: cross.rungs,
    stability: cross.stability,
    laboratories: cross.laboratories,
    one_map_serves_all: cross.laboratories.every(isServed),
    curve: own ? 'own' : 'shipped',
    ece: own ? cross.ece : null,
  };
  return { scorer: PopulationScorer.load(bytes), figures };
}

/** Two standard errors of the difference, and some points that any draw of claims may bring. */
function isServed({ groups, confirmed_raw, confirmed_mapped }: KeyFigures): boolean {
  if (groups < SCORER_GROUPS.many) return true;
  return confirmed_mapped >= confirmed_raw - 2 * Math.sqrt((confirmed_raw * (1 - confirmed_raw)) / groups) - 0.02;
}

/** All maps of a bank, after the claims that look wrong were left out. Undefined if one would have no direction. */
async function fitMaps(
  bank: ClaimBank,
  groups: Int32Array,
  weights: Float64Array,
  worlds: readonly (Covariances | undefined)[],
  pool: ThreadPool,
): Promise<{ weights: Float64Array; maps: ScorerMap[] } | undefined> {
  const mapOf = (taken: Float64Array): Promise<ScorerMap> =>
    Promise.all(
      Array.from({ length: bank.encoders }, (_, encoder) =>
        pool.run<EncoderMap>(new URL('./map.js', import.meta.url), 'fitEncoderMap', [
          ...[bank, encoder, taken, worlds[encoder]],
        ]),
      ),
    );
  const usable = (map: ScorerMap) => map.every(({ rows }) => rows.length > 0);
  let taken = weights;
  for (let round = 0; round < TRIMMINGS; round++) {
    const map = await mapOf(taken);
    if (!usable(map)) return undefined;
    const right = await pool.run<Uint8Array>(new URL('./cross.js', import.meta.url), 'plausibleClaims', [
      bank,
      groups,
      map,
    ]);
    taken = weights.map((weight, claim) => (right[claim] === 1 ? weight : 0));
  }
  const maps = await Promise.all(
    LEFT_OUT.map((bits) => mapOf(taken.map((weight, claim) => ((foldBit(groups[claim]) & bits) === 0 ? weight : 0)))),
  );
  return maps.every(usable) ? { weights: taken, maps } : undefined;
}
