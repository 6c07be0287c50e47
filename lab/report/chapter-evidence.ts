import type { Chapter, Means, Scale } from './chapter.js';
import { drawEvidence } from './charts-evidence.js';
import type { EvidenceParts } from './figures.js';
import { inventStones } from './invented.js';
import { measurePoisoning, POISONINGS } from './measure-poisoning.js';
import { measureProposals, type Population, repetitionsOf } from './measure-proposals.js';
import { drawsOf, measureBanks, shippedScorerLadders, sizesOf } from './measure-scorers.js';
import { lookAlikesOf, measureSpoilt, type SpoiltSizes, scannedAnew, spoiltSteps } from './measure-spoilt.js';
import { EVIDENCE_SEED, evidencePage } from './page-evidence.js';
import { scorerRows } from './page-scorers.js';
import { type Stones, simulateStones } from './stones.js';
import { Truth } from './truth.js';

interface Sizes {
  stones: number;
  lookAlikes: number;
  again: number;
  invented: number;
  repetitions: number;
  poisoning: { claims: number; repetitions: number };
  /** Extent for populations' own scorers: stones of a population, those that judge a bank, draws of banks. */
  scorers: { stones: number; judged: number; draws: number };
  /** The draws of the populations that the simulator of the training made. */
  clientDraws: number;
  spoilt: SpoiltSizes;
}
const FULL: Sizes = {
  stones: 16_000,
  lookAlikes: 2000,
  again: 1000,
  invented: 400,
  repetitions: 200,
  poisoning: { claims: 400, repetitions: 15 },
  scorers: { stones: 1600, judged: 500, draws: 4 },
  clientDraws: 1,
  spoilt: {
    judged: 500,
    banks: [{ claims: 100, shares: [0.1, 0.3] }],
    repeated: [{ claims: 100, pairs: 25, draws: 4 }],
    before: [1, 3, 10],
  },
};
const QUICK: Sizes = {
  stones: 320,
  lookAlikes: 60,
  again: 40,
  invented: 40,
  repetitions: 6,
  poisoning: { claims: 40, repetitions: 1 },
  scorers: { stones: 130, judged: 60, draws: 1 },
  clientDraws: 1,
  spoilt: {
    judged: 40,
    banks: [{ claims: 50, shares: [0.1] }],
    repeated: [{ claims: 50, pairs: 4, draws: 1 }],
    before: [3],
  },
};

/** No model was trained on them. Partly wrong claims and poison are measured on the first. */
const POPULATIONS = ['client-b', 'client-a'];

/** No simulated stone of the training knows their physics: nothing of them chooses a parameter. */
const SECOND = ['second-plain', 'second-air', 'second-scatter'];
const CLIENTS = ['client-a', 'client-b', 'client-c'];

const chosen = (names: string[], { populations }: Scale): string[] =>
  names.filter((name) => populations?.includes(name) ?? true);

function sizesOfScale({ quick, draws, stones }: Scale): Sizes {
  const sizes = quick ? QUICK : FULL;
  const { scorers, clientDraws } = sizes;
  return {
    ...sizes,
    scorers: { ...scorers, stones: stones ?? scorers.stones, draws: draws ?? scorers.draws },
    clientDraws: draws ?? clientDraws,
  };
}

/** Tests a population's own thresholds against their promise, and its own scorer. */
export const evidence: Chapter<EvidenceParts> = {
  name: 'evidence',
  seed: EVIDENCE_SEED,
  parts: ['proposals', 'poisoning', 'scorers', 'spoilt', 'clients'],
  modelFree: [],
  steps(part, scale) {
    const { stones, repetitions, scorers, clientDraws, spoilt } = sizesOfScale(scale);
    if (part === 'poisoning') return POISONINGS;
    if (part === 'spoilt') return chosen(SECOND, scale).length * spoiltSteps(spoilt);
    if (part === 'scorers' || part === 'clients') {
      const draws = part === 'clients' ? clientDraws : scorers.draws;
      const banks = sizesOf(scorers.stones, scorers.judged).reduce((sum, size) => sum + drawsOf(size, draws), 0);
      return chosen(part === 'clients' ? CLIENTS : SECOND, scale).length * banks;
    }
    return POPULATIONS.reduce((sum, _, i) => sum + repetitionsOf(stones, repetitions, i === 0), 0);
  },
  measure(means) {
    const sizes = sizesOfScale(means);
    let first: Promise<Population> | undefined;
    /** The first is needed by both parts. */
    const firstPopulation = () => {
      first ??= simulatePopulation(means, POPULATIONS[0], sizes.stones, sizes.lookAlikes);
      return first;
    };
    const { model, asset, pool, compute, seed, advance } = means;
    const judging = () => ({ model, asset, pool, compute, seed, ladders: shippedScorerLadders(model.digest) });
    const vectors = new Map<string, Promise<Stones>>();
    /** Each population's stones are measured once a run. */
    const stonesOf = (population: string) => {
      const known = vectors.get(population);
      if (known) return known;
      const made = simulateStones(means, { population, seed, from: 0, stones: sizes.scorers.stones });
      vectors.set(population, made);
      return made;
    };
    const banksOf = async (populations: string[], draws: number) => {
      const figures = [];
      for (const name of populations)
        figures.push(await measureBanks(judging(), name, await stonesOf(name), { ...sizes.scorers, draws }, advance));
      return figures;
    };
    return {
      scorers: () => banksOf(chosen(SECOND, means), sizes.scorers.draws),
      clients: () => banksOf(chosen(CLIENTS, means), sizes.clientDraws),
      async spoilt() {
        const figures = [];
        for (const name of chosen(SECOND, means)) {
          const next = SECOND[(SECOND.indexOf(name) + 1) % SECOND.length];
          const draw = { population: name, seed, from: 0 };
          const sessions = [];
          for (let session = 1; session <= Math.max(...sizes.spoilt.before); session++)
            sessions.push(await simulateStones(means, { ...draw, stones: scannedAnew(sizes.spoilt), session }));
          const spoilable = {
            name,
            drawn: await stonesOf(name),
            lookAlikes: await simulateStones(means, { ...draw, stones: lookAlikesOf(sizes.spoilt), lookAlike: 1 }),
            sessions,
          };
          const other = { name: next, stones: await stonesOf(next) };
          figures.push(await measureSpoilt(judging(), spoilable, other, sizes.spoilt, advance));
        }
        return {
          banks: figures.flatMap(({ banks }) => banks),
          repeated: figures.flatMap(({ repeated }) => repeated),
        };
      },
      async proposals() {
        const figures = [];
        for (const [i, name] of POPULATIONS.entries()) {
          const population = await (i === 0 ? firstPopulation() : simulatePopulation(means, name, sizes.stones, 0));
          figures.push(await measureProposals(means, population, sizes.repetitions, i === 0, means.advance));
        }
        return figures;
      },
      async poisoning() {
        const { matcher } = means;
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
  block: ({ scorers }) => scorers && { page: 'results.md', name: 'scorers', text: scorerRows(scorers) },
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
