import type { Chapter, Means } from './chapter.js';
import { drawEvidence } from './charts-evidence.js';
import type { EvidenceParts } from './figures.js';
import { inventStones } from './invented.js';
import { measurePoisoning, POISONINGS } from './measure-poisoning.js';
import { measureProposals, type Population, repetitionsOf } from './measure-proposals.js';
import { EVIDENCE_SEED, evidencePage } from './page-evidence.js';
import { simulateStones } from './stones.js';
import { Truth } from './truth.js';

interface Sizes {
  stones: number;
  lookAlikes: number;
  again: number;
  invented: number;
  repetitions: number;
  poisoning: { claims: number; repetitions: number };
}
const FULL: Sizes = {
  stones: 16_000,
  lookAlikes: 2000,
  again: 1000,
  invented: 400,
  repetitions: 200,
  poisoning: { claims: 400, repetitions: 15 },
};
const QUICK: Sizes = {
  stones: 320,
  lookAlikes: 60,
  again: 40,
  invented: 40,
  repetitions: 6,
  poisoning: { claims: 40, repetitions: 1 },
};

/** No model was trained on them. Partly wrong claims and poison are measured on the first. */
const POPULATIONS = ['client-b', 'client-a'];

/** That a population's own thresholds hold what they promise. */
export const evidence: Chapter<EvidenceParts> = {
  name: 'evidence',
  seed: EVIDENCE_SEED,
  parts: ['proposals', 'poisoning'],
  modelFree: [],
  steps(part, quick) {
    const { stones, repetitions } = quick ? QUICK : FULL;
    if (part === 'poisoning') return POISONINGS;
    return POPULATIONS.reduce((sum, _, i) => sum + repetitionsOf(stones, repetitions, i === 0), 0);
  },
  measure(means) {
    const sizes = means.quick ? QUICK : FULL;
    let first: Promise<Population> | undefined;
    /** The first is needed by both parts. */
    const firstPopulation = () => {
      first ??= simulatePopulation(means, POPULATIONS[0], sizes.stones, sizes.lookAlikes);
      return first;
    };
    return {
      async proposals() {
        const figures = [];
        for (const [i, name] of POPULATIONS.entries()) {
          const population = await (i === 0 ? firstPopulation() : simulatePopulation(means, name, sizes.stones, 0));
          figures.push(await measureProposals(means, population, sizes.repetitions, i === 0, means.advance));
        }
        return figures;
      },
      async poisoning() {
        const { seed, matcher } = means;
        const population = await firstPopulation();
        const draw = { population: population.name, seed, from: 0 };
        const again = await simulateStones(means, { ...draw, stones: sizes.again, session: 1 });
        const invented = await inventStones(matcher, population.name, seed, sizes.invented);
        const poisons = { ...population, again, invented: invented.stones };
        return {
          kinds: await measurePoisoning(means, poisons, sizes.poisoning, means.advance),
          invented: invented.figures,
        };
      },
    };
  },
  draw: drawEvidence,
  page: evidencePage,
};

async function simulatePopulation(
  means: Means,
  population: string,
  stones: number,
  lookAlikes: number,
): Promise<Population> {
  const draw = { population, seed: means.seed, from: 0 };
  const drawn = await simulateStones(means, { ...draw, stones });
  return {
    name: population,
    seed: means.seed,
    drawn,
    lookAlikes: await simulateStones(means, { ...draw, stones: lookAlikes, lookAlike: 1 }),
    truth: await Truth.of(drawn, means.compute),
  };
}
