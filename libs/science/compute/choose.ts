import { plainCompute, simdCompute } from './cpu-engines.js';
import { gpuJsCompute } from './gpu-js-engine.js';
import type { Compute, EngineName } from './port.js';
import { randomLayer, randomPerceptron, randomValues, worstDifference } from './random.js';
import { type Adapter, probeAdapter } from './webgpu.js';

/** Largest difference from the truth, on outputs of order one, with which an engine may serve. */
const AGREEMENT = 1e-5;
/** What is timed. */
const ENCODER = { inputs: 671, hidden: 512, outputs: 256 };
const BUDGET_MS = 15;
/** Sides of the eight jobs that a thread or a worker takes at once by default. */
const SIDES = 16;

export interface EngineOutcome {
  engine: EngineName;
  outcome: 'chosen' | 'slower' | 'disagrees' | 'unavailable' | 'failed';
  /** One sentence. */
  reason: string;
  /** Largest difference from the truth. */
  difference?: number;
  gflops?: number;
  adapter?: Adapter;
}

/** The engine that serves, and the reason; a plain record, fit for a health answer. */
export interface EngineReport {
  engine: EngineName;
  /** One sentence. */
  reason: string;
  candidates: EngineOutcome[];
}

export interface ChooseOptions {
  /** Engines to consider: the kernel and a card's by default, of which the first one serves where they are equally fast. */
  candidates?: readonly EngineName[];
  /** Makes an engine; tests pass faulty ones. */
  create?: (engine: EngineName) => Promise<Compute>;
  probe?: () => Promise<Adapter | string>;
  /** Most sides that are encoded in one pass, for which the engines are timed; 16 by default. A card beats the kernel on many. */
  sides?: number;
}

/** Makes the named engine. Rejects where the machine does not have what it needs. */
export async function createCompute(engine: EngineName): Promise<Compute> {
  switch (engine) {
    case 'simd':
      return simdCompute();
    case 'plain':
      return plainCompute();
    case 'webgpu':
      return gpuJsCompute();
    default:
      throw new RangeError(`no engine is called ${engine satisfies never}`);
  }
}

/**
 * Starts every candidate, compares it with the reference on random input, times those that agree and keeps the fastest; the
 * others are closed. Takes about 0.1 s of one core without a WebGPU adapter. Rejects where no candidate agrees.
 */
export async function chooseCompute(options: ChooseOptions = {}): Promise<{ compute: Compute; report: EngineReport }> {
  const { candidates = ['simd', 'webgpu'], create = createCompute, probe = probeAdapter, sides = SIDES } = options;
  const trials: { outcome: EngineOutcome; compute?: Compute }[] = [];
  for (const engine of candidates) trials.push(await attempt(engine, sides, create, probe));

  const speed = (trial: { outcome: EngineOutcome }) => trial.outcome.gflops ?? 0;
  const agreeing = trials.filter((trial) => trial.compute);
  const best = agreeing.reduce((fastest, trial) => (speed(trial) > speed(fastest) ? trial : fastest), agreeing[0]);
  if (!best?.compute) throw new Error(`no engine can serve: ${trials.map((t) => t.outcome.reason).join('; ')}`);
  for (const trial of agreeing) {
    const { outcome } = trial;
    const on = outcome.adapter ? ` on ${outcome.adapter.name}${outcome.adapter.software ? ' (software)' : ''}` : '';
    const measured = `${outcome.engine}${on} agrees to ${outcome.difference?.toExponential(0)} and does ${speed(trial).toPrecision(3)} GFLOP/s on ${sides} sides`;
    if (trial === best)
      Object.assign(outcome, { outcome: 'chosen', reason: `${measured}, the most of those that agree` });
    else {
      Object.assign(outcome, { outcome: 'slower', reason: `${measured}, less than ${best.outcome.engine}` });
      await trial.compute?.close();
    }
  }
  const report = { engine: best.outcome.engine, reason: best.outcome.reason, candidates: trials.map((t) => t.outcome) };
  return { compute: best.compute, report };
}

async function attempt(
  engine: EngineName,
  sides: number,
  create: (engine: EngineName) => Promise<Compute>,
  probe: () => Promise<Adapter | string>,
) {
  const outcome: EngineOutcome = { engine, outcome: 'unavailable', reason: '' };
  if (engine === 'webgpu') {
    const found = await probe();
    if (typeof found === 'string') return { outcome: { ...outcome, reason: found } };
    outcome.adapter = found;
  }
  let compute: Compute | undefined;
  try {
    compute = await create(engine);
    outcome.outcome = 'failed';
    outcome.difference = await disagreement(compute);
    if (outcome.difference <= AGREEMENT) {
      outcome.gflops = await timed(compute, sides);
      return { outcome, compute };
    }
    outcome.outcome = 'disagrees';
    outcome.reason = `${engine} is off by ${outcome.difference.toExponential(1)}, more than ${AGREEMENT}`;
  } catch (error) {
    outcome.reason = `${engine} cannot be used: ${error instanceof Error ? error.message : error}`;
  }
  await compute?.close().catch(() => undefined);
  return { outcome };
}

/** Largest difference from the truth, of a perceptron of few outputs, which are of order one, and of a cosine table. */
async function disagreement(compute: Compute): Promise<number> {
  const truth = plainCompute();
  const rows = 7;
  const batch = randomValues(1, rows * ENCODER.inputs);
  const described = randomPerceptron(ENCODER.inputs, 64, 4);
  const [held, expected] = [await compute.perceptron(described), await truth.perceptron(described)];
  const worst = worstDifference(await held.apply(batch, rows), await expected.apply(batch, rows));
  held.release();
  const table = (engine: Compute) => engine.cosines(batch, rows, batch, rows, 256);
  return Math.max(worst, worstDifference(await table(compute), await table(truth)));
}

/** GFLOP/s of an encoder on a batch of sides. */
async function timed(compute: Compute, sides: number): Promise<number> {
  const { inputs, hidden, outputs } = ENCODER;
  // One set of weights for all layers, which take the first of them: speed does not depend on what is multiplied.
  const made = randomLayer(inputs, hidden, 'gelu');
  const encoder = await compute.perceptron({
    linear: { ...made, outputs, activation: 'identity' },
    hidden: made,
    output: { ...made, inputs: hidden, outputs, activation: 'identity' },
  });
  const batch = randomValues(2, sides * inputs);
  // A card compiles on its first pass: 20 ms, which is more than the budget.
  await encoder.apply(batch, sides);
  const ms = await fastestMs(BUDGET_MS, () => encoder.apply(batch, sides));
  encoder.release();
  return (2 * sides * (inputs * (hidden + outputs) + hidden * outputs)) / ms / 1e6;
}

/** Milliseconds of the fastest pass within a budget, the first pass included: a slow engine gets one pass. */
async function fastestMs(budgetMs: number, pass: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  const start = performance.now();
  do {
    const begin = performance.now();
    await pass();
    fastest = Math.min(fastest, performance.now() - begin);
  } while (performance.now() - start < budgetMs);
  return fastest;
}
