import { INPUT, inputPoints, type ModelInput } from '#science/matching/input';
import { type Encoder, VECTOR } from '#science/matching/model';
import { ScanMean, VectorMean } from '#science/matching/pool';
import { type Preprocessing, preprocess } from '#science/matching/preprocess';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { firstParameters, parametersOf } from './first-parameters.js';
import { fitPreprocessing } from './fit-preprocessing.js';
import { forward, type Layout, layoutOf, lossAndGradient, type Products } from './network.js';
import { adamStep, type Moments, oneCycle } from './optimiser.js';
import { normal, type Random, randomOf, shuffle } from './random.js';
import type { EncoderSettings, SpectraTable } from './settings.js';

/** State from which a training can resume; plain arrays, ready for a file. */
export interface EncoderState {
  epoch: number;
  steps: number;
  parameters: Float32Array;
  first: Float32Array;
  second: Float32Array;
  /** Lowest held-out loss so far, and the parameters that had it, where they are to be kept. */
  best?: { loss: number; parameters: Float32Array };
}

/** Scans that the preprocessing is fitted to, at most. */
const VIEW_SCANS = 4_000;
/** Stones that the centre is the mean of, at most. */
const CENTRE_STONES = 8192;
/** The bin of 4000 cm^-1, at which a common short submission ends. */
const SHORT_END = 427;

/** All scans of a table, preprocessed, one after another. */
export function preprocessTable(
  preprocessing: Preprocessing,
  { spectra }: Pick<SpectraTable, 'spectra'>,
): Float32Array {
  const scans = spectra.length / REFERENCE_POINTS;
  const points = preprocessing.scale.length;
  const preprocessed = new Float32Array(scans * points);
  for (let s = 0; s < scans; s++) preprocess(preprocessing, spectra, s * REFERENCE_POINTS, preprocessed, s * points);
  return preprocessed;
}

/** The preprocessing fitted to scans spread evenly over the table. */
export function fitPreprocessingTo(
  derivative: 1 | 2,
  { spectra }: SpectraTable,
  input: ModelInput = INPUT,
): Preprocessing {
  const scans = spectra.length / REFERENCE_POINTS;
  const count = Math.min(scans, VIEW_SCANS);
  const sample = new Float32Array(count * REFERENCE_POINTS);
  for (let s = 0; s < count; s++) {
    const at = Math.floor((s * scans) / count) * REFERENCE_POINTS;
    sample.set(spectra.subarray(at, at + REFERENCE_POINTS), s * REFERENCE_POINTS);
  }
  return fitPreprocessing(derivative, sample, count, inputPoints(input));
}

/** Training of one encoder, epoch by epoch; the same numbers whether or not it was interrupted between epochs. */
export class EncoderTraining {
  private readonly layout: Layout;
  private readonly gradient: Float32Array;
  private readonly moments: Moments;
  private readonly parameters: Float32Array;
  /** The stones that are trained on, by group. */
  private readonly groups: Uint32Array[];
  private best?: EncoderState['best'];
  epoch: number;

  private constructor(
    private readonly kernel: Products,
    readonly settings: EncoderSettings,
    private readonly table: SpectraTable,
    readonly preprocessing: Preprocessing,
    private readonly preprocessed: Float32Array,
    state: EncoderState,
  ) {
    this.layout = layoutOf(settings.hidden, preprocessing.scale.length);
    if (state.parameters.length !== this.layout.length) throw new RangeError('the state is of another encoder');
    this.parameters = state.parameters;
    this.gradient = new Float32Array(this.layout.length);
    this.moments = { first: state.first, second: state.second, steps: state.steps };
    this.epoch = state.epoch;
    this.best = state.best;
    this.groups = groupsOf(table, settings.grouped);
  }

  /** From the closed form, from a given encoder (its preprocessing and size kept), or from a state saved by `state()`. */
  static start(
    kernel: Products,
    settings: EncoderSettings,
    table: SpectraTable,
    from?: { encoder?: Encoder; state?: EncoderState },
  ): EncoderTraining {
    const preprocessing = from?.encoder?.preprocessing ?? fitPreprocessingTo(settings.derivative, table);
    const preprocessed = preprocessTable(preprocessing, table);
    const fresh = () =>
      from?.encoder ? parametersOf(from.encoder, settings.scale) : firstParameters(settings, table, preprocessed);
    const state = from?.state ?? stateOf(fresh());
    return new EncoderTraining(kernel, settings, table, preprocessing, preprocessed, state);
  }

  /** One pass over all stones; the mean loss. */
  runEpoch(): number {
    const { settings, layout, parameters } = this;
    const random = randomOf(settings.seed, settings.derivative, this.epoch);
    const batches = batchesOf(this.groups, settings.batch, random);
    const steps = settings.epochs * batches.length;
    let total = 0;
    for (const [step, stones] of batches.entries()) {
      const batch = this.draw(stones, random);
      total += lossAndGradient(this.kernel, layout, parameters, batch, this.gradient, settings);
      const rate = oneCycle(this.epoch * batches.length + step, steps, settings.rate);
      adamStep(parameters, this.gradient, this.moments, rate, settings.weightDecay, layout.bias);
    }
    this.epoch++;
    return total / batches.length;
  }

  state(): EncoderState {
    const { first, second, steps } = this.moments;
    return {
      epoch: this.epoch,
      steps,
      parameters: this.parameters.slice(),
      first: Float32Array.from(first),
      second: Float32Array.from(second),
      best: this.best,
    };
  }

  /** Takes the held-out loss of the current weights: keeps the best ones, if the settings say so. */
  judged(loss: number): void {
    if (this.settings.keepBest && !(loss >= (this.best?.loss ?? Number.POSITIVE_INFINITY)))
      this.best = { loss, parameters: this.parameters.slice() };
  }

  /** Unit vectors of every preprocessed scan (count x points). */
  encode(preprocessed: Float32Array, parameters = this.parameters): Float32Array {
    const { inputs } = this.layout;
    const count = preprocessed.length / inputs;
    const vectors = new Float32Array(count * VECTOR);
    for (let at = 0; at < count; at += 512) {
      const rows = Math.min(512, count - at);
      const part = preprocessed.subarray(at * inputs, (at + rows) * inputs);
      vectors.set(forward(this.kernel, this.layout, parameters, part, rows).vectors, at * VECTOR);
    }
    return vectors;
  }

  /** With the mean vector of the sides of the trained stones as its centre. */
  encoder(): Encoder {
    const { layout, settings, preprocessing } = this;
    const parameters = this.best?.parameters ?? this.parameters;
    const { hidden, inputs, width } = layout;
    const linear = new Float32Array(inputs * VECTOR);
    const bent = new Float32Array(inputs * hidden);
    for (let i = 0; i < inputs; i++) {
      linear.set(parameters.subarray(i * width, i * width + VECTOR), i * VECTOR);
      bent.set(parameters.subarray(i * width + VECTOR, (i + 1) * width), i * hidden);
    }
    return {
      name: settings.name,
      preprocessing: preprocessing,
      linear,
      hidden: bent,
      bias: parameters.slice(layout.bias, layout.hiddenBias),
      hiddenBias: parameters.slice(layout.hiddenBias, layout.logScale),
      output: parameters.slice(layout.output, layout.bias),
      centre: this.centreOf(parameters),
    };
  }

  /** Unit vectors of every stone's sides, of all their scans, stones x 256. */
  sides(preprocessed: Float32Array, { stones, rough, polish }: SpectraTable, parameters = this.parameters) {
    const points = this.preprocessing.scale.length;
    const pooled = this.settings.pooling === 'scans';
    const encoded = (first: number, count: number) => {
      const vectors = new Float32Array(stones * VECTOR);
      const means = new Float32Array(pooled ? stones * points : 0);
      for (let s = 0; s < stones; s++) {
        const from = s * (rough + polish) + first;
        if (pooled) {
          const mean = new ScanMean(points);
          mean.add(preprocessed, from, count);
          mean.write(means, s * points);
        } else {
          const mean = new VectorMean(VECTOR);
          mean.add(this.encode(preprocessed.subarray(from * points, (from + count) * points), parameters), 0, count);
          vectors.set(mean.unit(), s * VECTOR);
        }
      }
      return pooled ? this.encode(means, parameters) : vectors;
    };
    return { rough: encoded(0, rough), polish: encoded(rough, polish) };
  }

  private centreOf(parameters: Float32Array): Float32Array {
    const { table, preprocessed, layout } = this;
    const known = this.groups.flatMap((group) => [...group]).sort((a, b) => a - b);
    const every = Math.ceil(known.length / CENTRE_STONES);
    const taken = known.filter((_, i) => i % every === 0);
    const size = (table.rough + table.polish) * layout.inputs;
    const rows = new Float32Array(taken.length * size);
    for (const [i, stone] of taken.entries())
      rows.set(preprocessed.subarray(stone * size, (stone + 1) * size), i * size);
    const { rough, polish } = this.sides(rows, { ...table, stones: taken.length }, parameters);
    return meanVector([rough, polish]);
  }

  /** Preprocessed drawn scans of these stones, pooled where the encoder is shown pooled ones: all rough rows, then all polish rows. */
  private draw(stones: Uint32Array, random: Random) {
    const { table, settings, preprocessed } = this;
    const { inputs } = this.layout;
    const pooled = settings.pooling === 'scans';
    const roughRows = pooled ? 1 : Math.min(settings.roughDrawn, table.rough);
    const polishRows = pooled ? 1 : Math.min(settings.polishDrawn, table.polish);
    const rows = new Float32Array(stones.length * (roughRows + polishRows) * inputs);
    let to = 0;
    const take = (first: number, scans: number, taken: number) => {
      for (const stone of stones) {
        const hide = hidingOf(settings, inputs, random);
        const count = pooled ? anyNumber(scans, random) : taken;
        const side = rows.subarray(to, to + (pooled ? 1 : count) * inputs);
        const mean = new ScanMean(inputs);
        for (const [k, scan] of drawDistinct(scans, count, random).entries()) {
          const row = stone * (table.rough + table.polish) + first + scan;
          if (pooled) mean.add(preprocessed, row, 1);
          else side.set(preprocessed.subarray(row * inputs, (row + 1) * inputs), k * inputs);
        }
        if (pooled) mean.write(side);
        if (settings.noise > 0) for (let i = 0; i < side.length; i++) side[i] += settings.noise * normal(random);
        for (let at = 0; at < side.length; at += inputs)
          for (const [from, end] of hide) side.fill(0, at + from, at + end);
        to += side.length;
      }
    };
    take(0, table.rough, roughRows);
    take(table.rough, table.polish, polishRows);
    return { preprocessed: rows, stones: stones.length, rough: roughRows, polish: polishRows };
  }
}

/** Mean of the rows of tables of vectors, rows x 256 each. */
export function meanVector(tables: readonly Float32Array[]): Float32Array {
  const sums = new Float64Array(VECTOR);
  for (const table of tables) for (let at = 0; at < table.length; at++) sums[at % VECTOR] += table[at];
  const rows = tables.reduce((sum, { length }) => sum + length / VECTOR, 0);
  return Float32Array.from(sums, (sum) => sum / rows);
}

/** A number from 1 to `most`, small ones more often: its logarithm is drawn evenly. */
const anyNumber = (most: number, random: Random): number =>
  Math.min(most, Math.floor(Math.exp(random() * Math.log(most + 1))));

/** The stones to train on, by group, without records known to be wrong. */
function groupsOf({ stones, wrong, groups }: SpectraTable, grouped: boolean): Uint32Array[] {
  const found = new Map<number, number[]>();
  for (let stone = 0; stone < stones; stone++) {
    if (wrong?.[stone]) continue;
    const group = (grouped && groups?.[stone]) || 0;
    const members = found.get(group);
    if (members) members.push(stone);
    else found.set(group, [stone]);
  }
  return Array.from(found.values(), (members) => Uint32Array.from(members));
}

/** Every group's stones, shuffled and cut into batches of nearly equal size; the batches in random order. */
function batchesOf(groups: Uint32Array[], size: number, random: Random): Uint32Array[] {
  const batches = groups.flatMap((group) => {
    const order = shuffle(group.slice(), random);
    const count = Math.max(1, Math.round(order.length / size));
    const cut = (k: number) => Math.floor((k * order.length) / count);
    return Array.from({ length: count }, (_, k) => order.subarray(cut(k), cut(k + 1)));
  });
  return Array.from(
    shuffle(
      Uint32Array.from(batches, (_, i) => i),
      random,
    ),
    (i) => batches[i],
  );
}

/** Spans of a side's preprocessed scans to hide: those that a short submission lacks, and a random one. */
function hidingOf(settings: EncoderSettings, points: number, random: Random): [number, number][] {
  const spans: [number, number][] = [];
  if (random() < settings.shortShare) {
    const end = random() < 0.5 ? Math.min(SHORT_END, points) : 360 + Math.floor(random() * (points - 360));
    spans.push([end - 4, points]);
    if (random() < 0.3) spans.push([0, Math.floor(random() * 40)]);
  }
  if (random() < settings.spanShare) {
    const from = Math.floor(random() * points);
    spans.push([from, from + 1 + Math.floor(random() * settings.spanWidth)]);
  }
  return spans;
}

function drawDistinct(of: number, drawn: number, random: Random): number[] {
  const left = Array.from({ length: of }, (_, i) => i);
  return Array.from({ length: drawn }, () => left.splice(Math.floor(random() * left.length), 1)[0]);
}

const stateOf = (parameters: Float32Array): EncoderState => ({
  epoch: 0,
  steps: 0,
  parameters,
  first: new Float32Array(parameters.length),
  second: new Float32Array(parameters.length),
});
