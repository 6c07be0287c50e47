import { createCompute } from '#science/compute/choose';
import type { Compute } from '#science/compute/port';
import { modelOf } from '#science/matching/model';
import { differences, invented } from '#science/matching/test/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { CrossScores } from '../cross-scores.js';
import { populationNamed, simulateStone } from '../simulator/index.js';
import { bankOf, evaluatePopulation } from './evaluate.js';
import { parametersOf } from './first-parameters.js';
import { bestOf, candidateOf, epochsFor, foldClosedForm, OWN_STEPS, splitPairs } from './own-pairs.js';
import { encoderSettings } from './plan.js';
import type { SpectraTable } from './settings.js';
import { simulateTable, spectraOf, type TableRecipe } from './simulated-table.js';
import { type EpochReport, trainModel } from './train-model.js';

const recipe: TableRecipe = {
  draws: [
    { population: 'calibration', seed: 4, from: 10, stones: 40 },
    { population: 'client-a', seed: 5, from: 0, stones: 8 },
  ],
  rough: 2,
  polish: 1,
};
const model = modelOf('invented', [invented('first', 1, 8), invented('second', 2, 8)]);

let table: SpectraTable;
let compute: Compute;
beforeAll(async () => {
  table = await simulateTable(recipe, 2);
  compute = await createCompute('simd');
});

describe('simulateTable', () => {
  it('holds the stones in order, whatever the number of threads', async () => {
    expect(differences((await simulateTable(recipe, 1)).spectra, table.spectra)).toBe(0);
    const stone = simulateStone(populationNamed('client-a'), 5, 3, { roughScans: 2, polishScans: 1 });
    const at = (40 + 3) * 3 * REFERENCE_POINTS;
    expect(differences(table.spectra.subarray(at, at + 2 * REFERENCE_POINTS), spectraOf('rough', stone.rough))).toBe(0);
    const end = at + 3 * REFERENCE_POINTS;
    expect(differences(table.spectra.subarray(end - REFERENCE_POINTS, end), spectraOf('polish', stone.polish))).toBe(0);
    expect([...new Set(table.groups?.subarray(0, 40))]).toEqual([0]);
    expect([...new Set(table.groups?.subarray(40))]).toEqual([1]);
  });
});

describe('a stone whose scans are refused', () => {
  // Two thick stones of one dark world among 65,536: nothing of the light is left.
  const dark: TableRecipe = {
    draws: [{ population: 'randomised', seed: 2, from: 59_806, stones: 1 }],
    rough: 6,
    polish: 2,
  };

  it('is left out of a training, and an error elsewhere', async () => {
    const left = await simulateTable({ ...dark, leaveOutRefused: true }, 1);
    expect([...(left.wrong ?? [])]).toEqual([1]);
    expect(left.spectra.every((value) => value === 0)).toBe(true);
    await expect(simulateTable(dark, 1)).rejects.toThrow('flat (zero variance)');
  });
});

describe('trainModel', () => {
  it('trains both encoders in threads, reports every epoch, and can go on from its states', async () => {
    const settings = encoderSettings({ epochs: 2, hidden: 8, batch: 16 });
    const data = { train: table, heldOut: { ...table } };
    const states = new Map<string, Parameters<NonNullable<Parameters<typeof trainModel>[3]['saveState']>>[1][]>();
    const reports: EpochReport[] = [];
    const hooks = {
      clock: () => 0,
      onEpoch: (report: EpochReport) => void reports.push(report),
      saveState: (encoder: string, state: never) => void states.set(encoder, [...(states.get(encoder) ?? []), state]),
    };
    const { model: trained } = await trainModel('t', settings, data, hooks, model);
    expect(reports.map(({ epoch }) => epoch)).toEqual([0, 1, 2]);
    for (const { accept } of reports) expect(accept).toBeGreaterThan(0);
    const resumed = await trainModel(
      't',
      settings,
      data,
      { clock: () => 0, loadState: (encoder) => states.get(encoder)?.[1] },
      model,
    );
    expect(resumed.epochs.map(({ epoch }) => epoch)).toEqual([1, 2]);
    expect(resumed.model.digest).toBe(trained.digest);
    expect(trained.digest).not.toBe(model.digest);
  });
});

describe('evaluatePopulation', () => {
  it('gives a falling ladder with intervals, and counts what coverage costs', async () => {
    const whole = await evaluatePopulation(model, compute, 'calibration', 9, 120);
    expect(whole.scores.claims).toHaveLength(120);
    expect(whole.rungs).toHaveLength(10);
    for (const [i, { confirmed, threshold, bestOf29Random, bestOf29Nearest }] of whole.rungs.entries()) {
      expect(confirmed.interval[0]).toBeLessThanOrEqual(confirmed.share);
      expect(confirmed.interval[1]).toBeGreaterThanOrEqual(confirmed.share);
      if (i > 0) expect(threshold).toBeGreaterThanOrEqual(whole.rungs[i - 1].threshold);
      if (i > 0) expect(confirmed.share).toBeLessThanOrEqual(whole.rungs[i - 1].confirmed.share);
      // Look-alikes are no easier to reject than random stones, but for chance.
      expect(bestOf29Nearest.share).toBeLessThanOrEqual((bestOf29Random?.share ?? 0) + 0.15);
    }
    const short = await evaluatePopulation(model, compute, 'calibration', 9, 120, { coverage: { upTo: 2000 } });
    expect(differences(short.scores.claims, whole.scores.claims)).toBeGreaterThan(0);
  });
});

describe('own pairs', () => {
  const pairs = Array.from({ length: 40 }, (_, s) => {
    const at = s * 3 * REFERENCE_POINTS;
    const scan = (k: number) => at + k * REFERENCE_POINTS;
    return () => ({ rough: table.spectra.slice(at, scan(2)), polish: table.spectra.slice(scan(2), scan(3)) });
  });

  it('are split by stone, every stone on one side, with six and three scans each', () => {
    const own = pairs.map((pair) => pair());
    const { train, heldOut } = splitPairs(own, 1);
    expect([train.stones, heldOut.stones]).toEqual([30, 10]);
    const firsts = (part: SpectraTable) =>
      Array.from({ length: part.stones }, (_, s) => part.spectra[s * 9 * REFERENCE_POINTS]);
    expect([...firsts(train), ...firsts(heldOut)].sort()).toEqual(own.map(({ rough }) => rough[0]).sort());
    expect(train.spectra[2 * REFERENCE_POINTS]).toBe(train.spectra[0]);
  });

  const split = () =>
    splitPairs(
      pairs.map((pair) => pair()),
      1,
    );

  it('keep the first model unless another is clearly better', async () => {
    const { heldOut } = split();
    const seeing = await candidateOf('shipped', model, compute, heldOut);
    // A model that cannot distinguish stones: every vector is the same.
    const blank = model.encoders.map((e) => ({ ...e, linear: e.linear.map(() => 0), output: e.output.map(() => 0) }));
    const blind = await candidateOf('tuned', modelOf('blind', blank), compute, heldOut);
    expect(bestOf([seeing, { ...seeing, way: 'tuned' }]).way).toBe('shipped');
    expect(bestOf([seeing, { ...seeing, way: 'tuned', mean: seeing.mean + 0.014 }]).way).toBe('shipped');
    expect(bestOf([blind, seeing])).toBe(seeing);
    expect(bestOf([seeing, blind])).toBe(seeing);
  });

  it('take at least as many steps as asked for, however few they are', () => {
    expect(epochsFor(240, 75)).toBe(240);
    expect(epochsFor(240, 750)).toBe(80);
    expect(OWN_STEPS.tuned.steps).toBeGreaterThanOrEqual(200);
  });

  it('turn a model in closed form so that sides of one stone come nearer than those of others', async () => {
    const { train, heldOut } = split();
    const margin = async (of: typeof model) => {
      const { claims, wrong } = await CrossScores.of(await bankOf(of, compute, heldOut), async (...a) =>
        compute.cosines(...a),
      );
      const mean = (values: Float64Array | Float32Array | number[]) =>
        Array.from(values).reduce((sum, v) => sum + v, 0) / values.length;
      return mean(claims) - mean(wrong);
    };
    const folded = foldClosedForm(model, train);
    expect(folded.digest).not.toBe(model.digest);
    expect(differences(folded.encoders[0].hidden, model.encoders[0].hidden)).toBe(0);
    expect(await margin(folded)).toBeGreaterThan(await margin(model));
  });

  it('keep the weights of the epoch with the lowest held-out loss', async () => {
    const { train, heldOut } = split();
    const [settings] = encoderSettings({ epochs: 3, hidden: 8, batch: 16, rate: 0.5, keepBest: true });
    const start = modelOf('one', [model.encoders[0]]);
    const weights: Float32Array[] = [];
    const saveState = (_: string, { parameters }: { parameters: Float32Array }) => void weights.push(parameters);
    const { model: trained, epochs } = await trainModel(
      't',
      [settings],
      { train, heldOut },
      { clock: () => 0, saveState },
      start,
    );
    const losses = epochs.map(({ heldOutLoss }) => heldOutLoss);
    const best = losses.indexOf(Math.min(...losses));
    // Steps as large as these go up and down.
    expect(best).not.toBe(3);
    const kept = parametersOf(trained.encoders[0], 1);
    expect(differences(kept.subarray(0, -1), weights[best].subarray(0, -1))).toBe(0);
  });
});
