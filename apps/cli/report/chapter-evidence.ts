import type { Chapter, Means } from './chapter.js';
import { drawEvidence } from './charts-evidence.js';
import type { EvidenceParts } from './figures.js';
import { inventStones } from './invented.js';
import { measurePoisoning, POISONINGS } from './measure-poisoning.js';
import { measureProposals, type Population, repetitionsOf } from './measure-proposals.js';
import { evidencePage } from './page-evidence.js';
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
  poisoning: { claims: 400, repetitions: 30 },
};
const QUICK: Sizes = {
  stones: 320,
  lookAlikes: 60,
  again: 40,
  invented: 40,
  repetitions: 6,
  poisoning: { claims: 40, repetitions: 1 },
};

/** Populations that no model was trained on. Partly wrong claims and poison are measured on the first. */
const POPULATIONS = ['client-b', 'client-a'] as const;

/** That a population's own thresholds hold what they promise. */
export const evidence: Chapter<EvidenceParts> = {
  name: 'evidence',
  seed: 620_317,
  parts: ['proposals', 'poisoning'],
  steps(part, quick) {
    const { stones, repetitions } = quick ? QUICK : FULL;
    if (part === 'poisoning') return POISONINGS;
    return POPULATIONS.reduce((sum, _, i) => sum + repetitionsOf(stones, repetitions, i === 0), 0);
  },
  measure(means) {
    const sizes = means.quick ? QUICK : FULL;
    const populations = new Map<string, Promise<Population>>();
    const populationOf = (name: string): Promise<Population> => {
      const population = populations.get(name) ?? simulatePopulation(means, name, sizes, name === POPULATIONS[0]);
      populations.set(name, population);
      return population;
    };
    return {
      async proposals() {
        const figures = [];
        for (const [i, name] of POPULATIONS.entries()) {
          const population = await populationOf(name);
          figures.push(await measureProposals(means, population, sizes.repetitions, i === 0, means.advance));
          // Only the first is needed again.
          if (i > 0) populations.delete(name);
        }
        return figures;
      },
      async poisoning() {
        const { seed, matcher } = means;
        const population = await populationOf(POPULATIONS[0]);
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
  sizes: Sizes,
  withLookAlikes: boolean,
): Promise<Population> {
  const draw = { population, seed: means.seed, from: 0 };
  const drawn = await simulateStones(means, { ...draw, stones: sizes.stones });
  return {
    name: population,
    seed: means.seed,
    drawn,
    lookAlikes: await simulateStones(means, { ...draw, stones: withLookAlikes ? sizes.lookAlikes : 0, lookAlike: 1 }),
    truth: await Truth.of(drawn, means.compute),
  };
}
