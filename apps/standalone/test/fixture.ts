/** A service on a port of its own, with a small model made on the spot, and simulated claims to send to it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { REJECT_TARGETS } from '#calibration';
import { type Configuration, readConfiguration } from '#config';
import { fitView, MODEL_FILE, type Model, modelFile, modelOf, VECTOR } from '#matching';
import { POPULATIONS, type SimulatedScan, simulateStone } from '#simulator';
import { prepareSide, REFERENCE_POINTS } from '#spectra';
import { type Service, startService } from '../service.js';

/** Small deterministic numbers in -1..1. */
function numbers(seed: number, count: number, size: number): Float32Array {
  let state = seed >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 31 - 1) * size;
  });
}

/**
 * Random projections of real views: cosines of vectors follow those of the views, so that a stone resembles itself.
 * @param hidden size of the hidden layer: 512 costs what the shipped model costs
 */
export function projectionModel(hidden = 8): Model {
  const stones = 6;
  const spectra = new Float32Array(stones * REFERENCE_POINTS);
  for (let stone = 0; stone < stones; stone++) {
    spectra.set(prepared(simulateStone(POPULATIONS.calibration, 1, stone).rough), stone * REFERENCE_POINTS);
  }
  const encoders = ([1, 2] as const).map((derivative, i) => ({
    name: `projection_${derivative}`,
    view: fitView(derivative, spectra, stones),
    linear: numbers(11 + i, REFERENCE_POINTS * VECTOR, 1),
    bias: new Float32Array(VECTOR),
    hidden: numbers(21 + i, REFERENCE_POINTS * hidden, 0.05),
    hiddenBias: numbers(31 + i, hidden, 0.01),
    output: numbers(41 + i, hidden * VECTOR, 0.05),
  }));
  return modelOf('projection', encoders);
}

/** Writes the model and an asset for it. */
export function writeModelFolder(folder: string, model: Model): void {
  const rungs = REJECT_TARGETS.map((reject_target) => ({
    reject_target,
    threshold: 0.6 + (reject_target - 0.9),
    expected_genuine_accept: 0.9,
    claims: 100,
  }));
  const asset = {
    schema: 1,
    scope: 'test model on simulated stones',
    source: { population: 'test' },
    model_digest: model.digest,
    rungs,
    p_match_5050: { scores: [0, 0.5, 0.9], probabilities: [0.01, 0.2, 0.99] },
  };
  writeFileSync(join(folder, MODEL_FILE), modelFile(model));
  writeFileSync(join(folder, 'calibration.json'), JSON.stringify(asset));
}

function prepared(scans: SimulatedScan[]): Float32Array {
  return prepareSide({ side: 'rough', scans: scans.map(ascending), references: [] }).spectra.subarray(
    0,
    REFERENCE_POINTS,
  );
}

const ascending = ({ wavenumbers, absorbance }: SimulatedScan) =>
  wavenumbers[0] < wavenumbers[1]
    ? { wavenumbers, absorbance }
    : { wavenumbers: wavenumbers.toReversed(), absorbance: absorbance.toReversed() };

export interface JsonSide {
  wavenumbers: number[];
  spectra: number[][];
  stone_id?: string;
}

const jsonSide = (scans: SimulatedScan[], stone_id: string): JsonSide => ({
  wavenumbers: [...scans[0].wavenumbers].map((x) => Math.round(x * 1e4) / 1e4),
  spectra: scans.map(({ absorbance }) => [...absorbance].map((y) => Math.round(y * 1e6) / 1e6)),
  stone_id,
});

export interface JsonClaim {
  rough: JsonSide;
  polish: JsonSide;
  reject_target?: unknown;
}

/** An honest claim; with `polishOf`, a mixed-up one. */
export function claimOf(stone: number, { polishOf = stone, roughScans = 3, seed = 5 } = {}): JsonClaim {
  const rough = simulateStone(POPULATIONS.calibration, seed, stone, { roughScans });
  const polish = simulateStone(POPULATIONS.calibration, seed, polishOf);
  return { rough: jsonSide(rough.rough, rough.id), polish: jsonSide(polish.polish, polish.id) };
}

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

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests examine
  body: any;
  headers: Headers;
}

export class TestService {
  readonly lines: string[] = [];
  service!: Service;
  apiKey = '';

  private constructor(
    readonly directory: string,
    private readonly environment: Record<string, string>,
  ) {}

  static async start(environment: Record<string, string> = {}, model = projectionModel()): Promise<TestService> {
    const test = await TestService.startWithoutKey(environment, model);
    test.apiKey = await test.createKey('lab-a');
    return test;
  }

  static async startWithoutKey(environment: Record<string, string>, model = projectionModel()): Promise<TestService> {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-test-'));
    writeModelFolder(directory, model);
    const test = new TestService(directory, environment);
    await test.open();
    return test;
  }

  get configuration(): Configuration {
    const { directory, environment } = this;
    return readConfiguration({ PORT: '0', MVS_DATA_DIR: join(directory, 'var'), MVS_THREADS: '2', ...environment });
  }

  async open(): Promise<void> {
    const logger = pino({ level: 'debug' }, { write: (line: string) => void this.lines.push(line) });
    this.service = await startService({
      configuration: this.configuration,
      logger,
      version: 'test',
      modelFolder: this.directory,
      engine: 'simd',
    });
  }

  get operator(): Record<string, string> {
    return { 'x-svc-admin': this.service.secrets!.operatorKey };
  }

  async call(
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: string | FormData | Uint8Array<ArrayBuffer> } = {},
  ): Promise<Answered> {
    const response = await fetch(this.service.address + path, { method, ...options });
    const text = await response.text();
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch {}
    return { status: response.status, body, headers: response.headers };
  }

  json(method: string, path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    return this.call(method, path, { body, headers: { 'content-type': 'application/json', ...headers } });
  }

  verify(claim: JsonClaim | string | FormData, headers: Record<string, string> = {}): Promise<Answered> {
    const withKey = { 'x-api-key': this.apiKey, ...headers };
    return claim instanceof FormData
      ? this.call('POST', '/api/v1/verify-match', { body: claim, headers: withKey })
      : this.json('POST', '/api/v1/verify-match', claim, withKey);
  }

  async createKey(name: string, more: Record<string, string> = {}): Promise<string> {
    const { status, body } = await this.json('POST', '/api/v1/keys', { name, ...more }, this.operator);
    if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(body)}`);
    return body.key;
  }

  async stop(): Promise<void> {
    await this.service.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
