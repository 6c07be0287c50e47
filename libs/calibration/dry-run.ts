/** A threshold tried on past claims. */

import type { Verdict } from '#claims/events';
import { CommandRefused } from '#kit/log/refused';
import type { RejectTarget } from '#science/calibration/ladder';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { scoresBy } from './held-claims.js';
import { byLabel, changedClaims, type EvidenceView, type PastClaim } from './queries-evidence.js';
import type { PopulationLadders } from './queries-ladders.js';
import type { InstalledModel } from './queries-models.js';
import { whyNone } from './reasons.js';

const MAX_ITEMS = 1000;

interface TrialDependencies {
  evidence: EvidenceView;
  ladders: PopulationLadders;
}

/**
 * The counted claims that a threshold would have decided otherwise, by default that of the proposal.
 * @throws CommandRefused (conflict)
 */
export async function dryRun(
  { ladders, evidence }: TrialDependencies,
  population: string,
  rung: RejectTarget,
  of: InstalledModel,
  threshold?: number,
) {
  const { model, proposals } = of;
  const { entry, scorer } = await ladders.entry(population, rung, of);
  const measured = await proposals.latest(population, scorer);
  const { state } = await ladders.read(population);
  const proposal = measured && proposals.facts(population, measured, rung, state.decisions, scorer);
  const tried = threshold ?? proposal?.threshold;
  if (tried === undefined)
    throw new CommandRefused(
      'conflict',
      `${whyNone(rung, evidence.held(population, model.digest), measured)}; give a threshold`,
    );
  const claims = measured?.claims ?? 0;
  const mapped = scorer && (await pastBy(evidence, scorer, population, of, claims));
  const between = (low: number, high: number, before: Verdict, after: Verdict) => {
    const within = mapped?.filter(({ fused_score: score }) => score > low && score <= high);
    const found = within
      ? byLabel(within, MAX_ITEMS)
      : low < high
        ? evidence.between(population, model.digest, claims, [low, high], MAX_ITEMS)
        : byLabel<PastClaim>([], MAX_ITEMS);
    return changedClaims({ ...found, items: found.items.map((item) => ({ ...item, before, after })) });
  };
  return {
    population,
    model: model.digest,
    reject_target: rung,
    claims,
    threshold: entry.threshold,
    threshold_source: entry.threshold_source,
    tried_threshold: tried,
    proposal_digest: tried === proposal?.threshold ? proposal.digest : null,
    to_match: between(tried, entry.threshold, 'NO_MATCH', 'MATCH'),
    to_no_match: between(entry.threshold, tried, 'MATCH', 'NO_MATCH'),
  };
}

/** The claims that a proposal by the first `claims` rests on, with their scores by the population's own scorer, by score. */
async function pastBy(
  view: EvidenceView,
  scorer: PopulationScorer,
  population: string,
  { model, proposals }: InstalledModel,
  claims: number,
) {
  const { evidence } = await proposals.claims.load(population, claims);
  const scores = await scoresBy(scorer, evidence, claims - evidence.before);
  return view
    .past(population, model.digest, claims, evidence.before)
    .map((claim, i) => ({ ...claim, fused_score: scores[i] }))
    .sort((a, b) => a.fused_score - b.fused_score);
}
