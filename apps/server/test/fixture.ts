/** A service on a port of its own, with a small model made on the spot, and simulated claims to send to it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type Configuration, readConfiguration } from '#config/environment';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import { SCORER_FILE } from '#science/calibration/scorer/ladders';
import { SCORER_GROUPS, SCORER_METHOD } from '#science/calibration/scorer/method';
import { madeWorlds } from '#science/calibration/scorer/test/made';
import { randomValues } from '#science/compute/random';
import { cosine } from '#science/matching/encoder';
import { INPUT, inputPoints, type ModelInput } from '#science/matching/input';
import { type Model, modelFile, modelOf, VECTOR } from '#science/matching/model';
import { type Preprocessing, preprocess } from '#science/matching/preprocess';
import { MODEL_FILE } from '#science/matching/shipped';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { prepareSide } from '#science/spectra/scan-set';
import {
  ascending,
  nuisanceOf,
  POPULATIONS,
  type Population,
  type PopulationName,
  type PopulationSettings,
  type SimulatedScan,
  simulateStone,
} from '#simulator';
import { fitPreprocessing } from '../../../lab/training/fit-preprocessing.js';
import { startBundled } from '../../../test/programs.js';
import type { Service } from '../service.js';
import { Client, type JsonClaim, type JsonSide } from './client.js';

export type { Answered, JsonClaim, JsonSide } from './client.js';

/** Limits for a test that is not about one: a busy machine takes long for everything, and no answer depends on how long. */
export const PATIENT = { MVS_MAX_VIEW_WAIT_MS: '60000', MVS_MAX_REQUEST_MS: '100000' };

/** Stones that the model's preprocessing and its mean are fitted to: what all stones share must not make any two alike. */
const STONES = 24;

/**
 * Random projections of preprocessed scans around their mean: cosines of vectors follow those of the scans, so that a stone
 * resembles itself and no other.
 * @param hidden size of the hidden layer: 512 costs what the shipped model costs
 */
export function projectionModel(hidden = 8, input = INPUT): Model {
  const key = `${hidden} ${JSON.stringify(input)}`;
  const known = projectionModels.get(key) ?? makeProjectionModel(hidden, input);
  projectionModels.set(key, known);
  return known;
}
const projectionModels = new Map<string, Model>();

function makeProjectionModel(hidden: number, input: ModelInput): Model {
  const points = inputPoints(input);
  const spectra = spectraOfStones();
  const encoders = ([1, 2] as const).map((derivative, i) => {
    const preprocessing = fitPreprocessing(derivative, spectra, STONES, points);
    const linear = randomValues(11 + i, points * VECTOR, 1);
    return {
      name: `projection_${derivative}`,
      preprocessing,
      linear,
      bias: lessTheMean(preprocessing, spectra, linear),
      hidden: randomValues(21 + i, points * hidden, 0.05),
      hiddenBias: randomValues(31 + i, hidden, 0.01),
      output: randomValues(41 + i, hidden * VECTOR, 0.05),
    };
  });
  return modelOf('projection', encoders, input);
}

function spectraOfStones(): Float32Array {
  const spectra = new Float32Array(STONES * REFERENCE_POINTS);
  for (let stone = 0; stone < STONES; stone++) {
    const scans = simulateStone(plain('calibration'), 1, stone, { roughScans: 1, polishScans: 1 });
    spectra.set(prepared(stone % 2 === 0 ? scans.rough : scans.polish), stone * REFERENCE_POINTS);
  }
  return spectra;
}

/** The bias that takes the projection of the mean scan away. */
function lessTheMean(preprocessing: Preprocessing, spectra: Float32Array, linear: Float32Array): Float32Array {
  const points = preprocessing.scale.length;
  const seen = new Float32Array(points);
  const bias = new Float32Array(VECTOR);
  for (let stone = 0; stone < STONES; stone++) {
    preprocess(preprocessing, spectra, stone * REFERENCE_POINTS, seen, 0);
    for (let p = 0; p < points; p++) {
      for (let v = 0; v < VECTOR; v++) bias[v] -= (seen[p] * linear[p * VECTOR + v]) / STONES;
    }
  }
  return bias;
}

/** The first encoder of a model alone: what is fitted to its vectors costs half. */
export const firstEncoderOf = ({ name, encoders, input }: Model): Model => modelOf(name, encoders.slice(0, 1), input);

/** Writes the model and an asset for it. @param lowest threshold, at 0.90; the others rise with their rungs */
export function writeModelFolder(folder: string, model: Model, lowest = 0.6): void {
  const rungs = REJECT_TARGETS.map((reject_target) => ({
    reject_target,
    threshold: lowest + (reject_target - 0.9),
    expected_genuine_accept: 0.9,
    claims: 100,
  }));
  const asset = {
    schema: 1,
    scope: 'test model on simulated stones',
    source: { population: 'test', stones: 100 },
    model_digest: model.digest,
    rungs,
    p_match_5050: { scores: [0, 0.5, 0.9], probabilities: [0.01, 0.2, 0.99] },
  };
  writeFileSync(join(folder, MODEL_FILE), modelFile(model));
  writeFileSync(join(folder, 'calibration.json'), JSON.stringify(asset));
}

/** Adds ladders for populations' own scorers to the folder of a model. */
export function writeScorerLadders(folder: string, model: Model): void {
  const rungs = REJECT_TARGETS.map((reject_target) => ({
    reject_target,
    threshold: 0.1 + (reject_target - 0.9),
    expected_genuine_accept: 0.9,
  }));
  const source = { population: 'test', seed: 1, first_stone: 0, stones: 100, refused: 0 };
  const ladders = {
    schema: 1,
    method: SCORER_METHOD,
    model_digest: model.digest,
    source: { bank: source, judged: source, draws: 1 },
    worlds: madeWorlds(model.encoders.length),
    banks: SCORER_GROUPS.propose.map((groups) => ({
      groups,
      rungs,
      p_match_5050: { scores: [-0.2, 0.1, 0.4], probabilities: [0.01, 0.2, 0.97] },
    })),
  };
  writeFileSync(join(folder, SCORER_FILE), JSON.stringify(ladders));
}

function prepared(scans: SimulatedScan[]): Float32Array {
  return prepareSide({ side: 'rough', scans: scans.map(ascending), references: [] }).spectra.subarray(
    0,
    REFERENCE_POINTS,
  );
}

const jsonSide = (scans: SimulatedScan[], stone_id: string): JsonSide => ({
  wavenumbers: [...scans[0].wavenumbers].map((x) => Math.round(x * 1e4) / 1e4),
  spectra: scans.map(({ absorbance }) => [...absorbance].map((y) => Math.round(y * 1e6) / 1e6)),
  stone_id,
});

/**
 * A population as it is, but for clean, hardly zoned stones without inclusions: whether a claim is true or mixed up is
 * plain to a simple model too.
 */
function plain(name: PopulationName): Population {
  const population = POPULATIONS[name];
  const known = plains.get(name) ?? { ...population, settings: (random) => calmed(population.settings(random)) };
  plains.set(name, known);
  return known;
}
const plains = new Map<PopulationName, Population>();
const calmed = (settings: PopulationSettings): PopulationSettings => ({
  ...settings,
  nuisance: nuisanceOf((kind) => 0.1 * settings.nuisance[kind]),
  zoning: settings.zoning.map((zoning) => 0.1 * zoning),
  inclusions: { carbonDioxide: 0, carbonate: 0, fluidWater: 0, silicate: 0 },
  reflections: 0,
  roughPath: [2, 3],
  polishPath: [2, 3],
  shift: 0,
});

/** A genuine claim; with `polishOf`, a mixed-up one. */
export function claimOf(
  stone: number,
  { polishOf = stone, roughScans = 3, seed = 5, population = 'calibration' as PopulationName } = {},
): JsonClaim {
  const rough = simulateStone(plain(population), seed, stone, { roughScans });
  const polish = polishOf === stone ? rough : simulateStone(plain(population), seed, polishOf, { roughScans: 0 });
  return { rough: jsonSide(rough.rough, rough.id), polish: jsonSide(polish.polish, polish.id) };
}

/** Stones among which a stranger is looked for. */
const OTHERS = 8;

/**
 * The stone, of those after this one, whose polish looks least like this one's rough to an encoder: together they are a
 * mixed-up claim that is not one by luck.
 */
export function strangerTo(stone: number, { seed = 5, population = 'calibration' as PopulationName } = {}): number {
  const preprocessing = fitPreprocessing(2, spectraOfStones(), STONES);
  const look = (scans: SimulatedScan[]) => {
    const seen = new Float32Array(preprocessing.scale.length);
    preprocess(preprocessing, prepared(scans), 0, seen, 0);
    const length = Math.hypot(...seen);
    return seen.map((value) => value / length);
  };
  const rough = look(simulateStone(plain(population), seed, stone, { roughScans: 1, polishScans: 0 }).rough);
  const others = Array.from({ length: OTHERS }, (_, i) => {
    const other = stone + 1 + i;
    const { polish } = simulateStone(plain(population), seed, other, { roughScans: 0 });
    return { other, likeness: cosine(rough, look(polish)) };
  });
  return others.reduce((least, one) => (one.likeness < least.likeness ? one : least)).other;
}

export const mixedUpClaim = (stone: number): JsonClaim => claimOf(stone, { polishOf: strangerTo(stone) });

/** A side as two-column files. */
export const filesOf = ({ wavenumbers, spectra, stone_id }: JsonSide): { name: string; text: string }[] =>
  spectra.map((values, i) => ({
    name: `${stone_id}_${i + 1}.csv`,
    text: wavenumbers.map((x, j) => `${x},${values[j]}`).join('\n'),
  }));

export function formOf(claim: JsonClaim): FormData {
  const form = new FormData();
  for (const side of ['rough', 'polish'] as const) {
    for (const { name, text } of filesOf(claim[side])) form.append(`${side}_files`, new Blob([text]), name);
  }
  if (claim.reject_target !== undefined) form.append('reject_target', String(claim.reject_target));
  return form;
}

export interface TestOptions {
  /** The service checks its log, as it does outside of tests: the thread for it takes as much as a start. */
  checksLog?: boolean;
  /** The service from its modules: for a test that hands it errors, asks for its parts by their classes, or traces it. */
  ofModules?: boolean;
}

export class TestService extends Client {
  readonly lines: string[] = [];
  service!: Service;
  /** Newest first; read at every start. */
  modelFolders: readonly string[];

  private constructor(
    readonly directory: string,
    readonly environment: Record<string, string>,
    private readonly options: TestOptions,
  ) {
    super();
    this.modelFolders = [directory];
  }

  static async start(
    environment: Record<string, string> = {},
    model = projectionModel(),
    options: TestOptions = {},
  ): Promise<TestService> {
    const test = await TestService.startWithoutKey(environment, model, undefined, options);
    test.apiKey = await test.createKey('lab-a');
    return test;
  }

  /** @param modelFolders in place of one with `model`, newest first */
  static async startWithoutKey(
    environment: Record<string, string>,
    model?: Model,
    modelFolders?: readonly string[],
    options: TestOptions = {},
  ): Promise<TestService> {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-test-'));
    if (!modelFolders) writeModelFolder(directory, model ?? projectionModel());
    const test = new TestService(directory, environment, options);
    if (modelFolders) test.modelFolders = modelFolders;
    await test.open();
    return test;
  }

  get configuration(): Configuration {
    const { directory, environment } = this;
    return readConfiguration({
      PORT: '0',
      MVS_DATA_DIR: join(directory, 'var'),
      MVS_THREADS: '1',
      ...PATIENT,
      ...environment,
    });
  }

  async open(): Promise<void> {
    const logger = pino({ level: 'debug' }, { write: (line: string) => void this.lines.push(line) });
    const start = this.options.ofModules ? (await import('../service.js')).startService : startBundled;
    this.service = await start({
      configuration: this.configuration,
      logger,
      version: 'test',
      modelFolders: this.modelFolders,
      engine: 'simd',
      checksLog: this.options.checksLog ?? false,
    });
    this.address = this.service.address;
    this.operatorKey = this.service.secrets?.operatorKey ?? '';
  }

  async stop(): Promise<void> {
    await this.service.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
