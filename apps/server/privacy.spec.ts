/** Spectra are never retained: whatever becomes of a request, no submitted ordinate is left anywhere. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import type { Side } from '#science/spectra/refusal';
import { POPULATIONS, type SimulatedScan, simulateStone } from '#simulator';
import { opusScan } from '../../lab/simulator/opus-writer.js';
import type { Answered, JsonClaim, JsonSide } from './test/client.js';
import { formOf, projectionModel, writeModelFolder } from './test/fixture.js';
import { filesUnder, Ordinates } from './test/ordinates.js';
import { ServingProcess } from './test/process.js';
import { zipOf } from './test/zip.js';

const SIDES = ['rough', 'polish'] as const;
let ordinates: Ordinates;
let stone: number;
let serving: ServingProcess;
/** Folder of a second model. */
let second: string;
beforeAll(() => {
  second = mkdtempSync(join(tmpdir(), 'mvs-second-model-'));
  writeModelFolder(second, projectionModel(16));
});
afterAll(() => rmSync(second, { recursive: true }));
beforeEach(() => {
  ordinates = new Ordinates();
  stone = 0;
});
afterEach(() => serving?.remove());

/** A claim that no other request sends, in full precision; everything in it is looked for from now on. */
function fresh(change: (claim: JsonClaim) => void = () => {}, roughScans = 3): JsonClaim {
  const { rough, polish, id } = simulateStone(POPULATIONS.calibration, 77, stone++, { roughScans });
  const side = (name: Side, scans: SimulatedScan[]): JsonSide => {
    ordinates.addSide(name, scans);
    return {
      wavenumbers: [...scans[0].wavenumbers],
      spectra: scans.map(({ absorbance }) => [...absorbance]),
      stone_id: id,
    };
  };
  const claim: JsonClaim = { rough: side('rough', rough), polish: side('polish', polish) };
  change(claim);
  for (const name of SIDES) {
    for (const spectrum of claim[name]?.spectra ?? []) {
      if (!Array.isArray(spectrum)) continue;
      const numbers = spectrum.filter((value) => typeof value === 'number' && value !== 0.5);
      ordinates.add(numbers);
      ordinates.add(Float32Array.from(numbers));
    }
  }
  return claim;
}

const opusForm = ({ rough, polish }: JsonClaim): FormData => {
  const form = new FormData();
  for (const [name, { wavenumbers, spectra }] of Object.entries({ rough, polish })) {
    for (const values of spectra) {
      const bytes = opusScan(Float32Array.from(values), wavenumbers[0], wavenumbers[wavenumbers.length - 1]);
      form.append(`${name}_files`, new Blob([new Uint8Array(bytes)]), `${name}.0`);
    }
  }
  return form;
};

async function zipForm(claim: JsonClaim): Promise<FormData> {
  const form = new FormData();
  for (const side of SIDES) {
    const files = formOf(claim).getAll(`${side}_files`) as File[];
    const zip = await zipOf(await Promise.all(files.map(async (f) => ({ name: f.name, data: await f.text() }))));
    form.append(`${side}_files`, new Blob([zip]), `${side}.zip`);
  }
  return form;
}

/** A request over a connection of its own, so that it can be cut at will. */
function open(headers: Record<string, string | number>, answered: (status: number) => void = () => {}): ClientRequest {
  const sent = request(`${serving.address}/api/v1/verify-match`, {
    method: 'POST',
    agent: false,
    headers: { 'x-api-key': serving.apiKey, 'content-type': 'application/json', ...headers },
  });
  sent.on('response', (response) => answered(response.resume().statusCode ?? 0)).on('error', () => answered(0));
  return sent;
}

async function storedEvents(): Promise<string> {
  const reader = openSqliteEventReader({ directory: serving.data });
  let text = '';
  for await (const { stream, data, metadata } of reader.readAll()) text += JSON.stringify({ stream, data, metadata });
  await reader.close();
  return text;
}

/** Files while it runs (in a process of its own the service keeps its locks), then files, lines and events at its end. */
async function expectNothingLeft(answers: Answered[] = []): Promise<void> {
  expect(ordinates.size).toBeGreaterThan(1000);
  expect(filesUnder(serving.home).join()).toContain('events.db');
  expect(ordinates.findUnder(serving.home)).toEqual([]);
  await serving.end('SIGTERM');
  expect(ordinates.findUnder(serving.home)).toEqual([]);
  expect(serving.lines.length).toBeGreaterThan(1);
  expect(ordinates.findIn(Buffer.from(serving.lines.join('\n')))).toBeUndefined();
  expect(ordinates.findIn(Buffer.from(await storedEvents()))).toBeUndefined();
  for (const { body } of answers) expect(ordinates.findIn(Buffer.from(JSON.stringify(body)))).toBeUndefined();
}

describe('the search itself', () => {
  it('finds an ordinate as float64, float32, decimal text and base64 in a file', () => {
    const scan = fresh().rough.spectra[0];
    const folder = mkdtempSync(join(tmpdir(), 'mvs-search-'));
    try {
      const [doubles, singles] = [Float64Array.from(scan), Float32Array.from(scan)].map(({ buffer }) =>
        Buffer.from(buffer),
      );
      const filler = Buffer.alloc(1001, 'x');
      const left: [string, Buffer, RegExp][] = [
        ['double', Buffer.concat([filler, doubles.subarray(800, 808)]), /float64 .* at byte 1001$/],
        ['single', Buffer.concat([filler, singles.subarray(400, 408)]), /float32 .* at byte 1001$/],
        ['text', Buffer.from(`{"level":30,"msg":"read ${scan[33]} at"}`), /decimal text/],
        ['rounded', Buffer.from(scan[44].toFixed(14)), /decimal text/],
        ['base64', Buffer.from(`x.${doubles.subarray(80, 400).toString('base64')}`), /in base64/],
      ];
      for (const [name, bytes] of left) writeFileSync(join(folder, name), bytes);
      writeFileSync(join(folder, 'innocent'), Buffer.concat([filler, Buffer.from('0.123 1.5e-7 2026')]));
      for (const [name, , words] of left) {
        expect(ordinates.findUnder(folder).find((found) => found.startsWith(join(folder, name)))).toMatch(words);
      }
      expect(ordinates.findUnder(folder)).toHaveLength(left.length);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('no submitted ordinate is left', () => {
  it('after success, in every form; after a repeat and a replay; after a second model scored as shadow', async () => {
    serving = await ServingProcess.start({ environment: { MVS_SHADOW_MODEL: second } });
    const repeated = fresh();
    const replay = { 'x-svc-replay': '1', 'x-svc-admin': serving.operatorKey };
    const answers = [
      await serving.verify(repeated),
      await serving.verify(repeated),
      await serving.verify(fresh(), replay),
      await serving.verify(formOf(fresh())),
      await serving.verify(await zipForm(fresh())),
      await serving.verify(opusForm(fresh())),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const model = () => serving.call('GET', '/api/v1/model', { headers: serving.operator });
    while ((await model()).body.shadow_claims?.scored !== 4) await setTimeout(20);
    await expectNothingLeft(answers);
  });

  it('after a refusal of each kind', async () => {
    serving = await ServingProcess.start({ environment: { MVS_MAX_BODY_BYTES: '400000' } });
    const text = (change?: (claim: JsonClaim) => void) => JSON.stringify(fresh(change));
    const damaged = (change: (text: string) => string | Uint8Array<ArrayBuffer>) => {
      const form = formOf(fresh());
      const [file] = form.getAll('rough_files') as File[];
      return file.text().then((csv) => {
        form.append('rough_files', new Blob([change(csv)]), 'damaged.csv');
        return form;
      });
    };
    const zip = await zipForm(fresh());
    const [packed] = zip.getAll('rough_files') as File[];
    zip.set('rough_files', new Blob([(await packed.arrayBuffer()).slice(0, packed.size - 40)]), 'torn.zip');
    const smooth = ({ rough }: JsonClaim) => {
      rough.spectra = rough.spectra.map((values) =>
        values.map((_, i) => {
          const window = values.slice(Math.max(0, i - 4), i + 5);
          return window.reduce((a, b) => a + b) / window.length;
        }),
      );
    };
    const refused: [number, string, Promise<Answered>][] = [
      [400, 'reject_target', serving.verify(fresh((claim) => Object.assign(claim, { reject_target: 0.5 })))],
      [400, 'invalid_json', serving.verify(`${text().slice(0, -1)},`)],
      [400, 'not_an_object', serving.verify(`[${text()}]`)],
      [422, 'axis_shape', serving.verify(text(({ polish }) => polish.wavenumbers.fill(1000)))],
      [422, 'side_shape', serving.verify(text(({ rough }) => rough.spectra[1].pop()))],
      [422, 'side_shape', serving.verify(text(({ rough }) => Object.assign(rough.spectra[1], { 9: '0.5' })))],
      [
        400,
        'non_finite',
        serving.verify(
          text()
            .replace(/,(\d\.\d+)\]/, ',$1,NaN]')
            .replace(/,[^,]+,NaN/, ',NaN'),
        ),
      ],
      [400, 'non_finite', damaged((csv) => csv.replace(/,[^\n]+\n/, ',nan\n')).then((form) => serving.verify(form))],
      [400, 'flat', serving.verify(fresh(({ polish }) => polish.spectra[0].fill(0.5)))],
      [400, 'noise_character', serving.verify(fresh(smooth))],
      [400, 'unparseable', damaged((csv) => csv.replace(/\n/g, ' ')).then((form) => serving.verify(form))],
      [400, 'unparseable', damaged((csv) => `${csv}\n${csv}`).then((form) => serving.verify(form))],
      [400, 'unparseable', serving.verify(zip)],
      [401, 'credential_api_key', serving.verify(fresh(), { 'x-api-key': 'none' })],
      [413, 'too_large', serving.verify(fresh(undefined, 40))],
      [415, 'wrong_content_type', serving.verify(text(), { 'content-type': 'text/csv' })],
      [415, 'compressed', serving.verify(text(), { 'content-encoding': 'gzip' })],
    ];
    const answers = await Promise.all(refused.map(([, , answer]) => answer));
    expect(answers.map(({ status }) => status)).toEqual(refused.map(([status]) => status));
    await expectNothingLeft(answers);
    const logged = serving.lines.join('\n');
    for (const [, reason] of refused) expect(logged).toContain(`"reason":"${reason}"`);
  });

  it('after a time-out, of the scoring and of the body', async () => {
    serving = await ServingProcess.start();
    // A key is made in its own time.
    await serving.end('SIGTERM');
    await serving.open({ environment: { MVS_MAX_REQUEST_MS: '200' } });
    const large = JSON.stringify(fresh(undefined, 40));
    const answers: Answered[] = [];
    const late = () => answers.some(({ status, body }) => status === 503 && /took too long/.test(body.detail));
    // On a busy machine the bodies of many at once come too late to be scored at all: fewer are sent then.
    for (let many = 24, rounds = 0; !late() && rounds < 40; many = Math.ceil(many / 2), rounds++) {
      // A connection may be closed under a body that comes too late to be read.
      const sent = await Promise.allSettled(Array.from({ length: many }, () => serving.verify(large)));
      answers.push(...sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    }
    expect(late()).toBe(true);
    const body = JSON.stringify(fresh());
    const status = await new Promise<number>((resolve) => {
      open({ 'content-length': body.length }, resolve).write(body.slice(0, -100));
    });
    expect(status).toBe(408);
    await expectNothingLeft(answers);
  });

  it('after clients that went away, while they sent and while they waited', async () => {
    serving = await ServingProcess.start();
    const gone = [0.1, 0.5, 0.99, 1, 1, 1].map(
      (share) =>
        new Promise<number>((resolve) => {
          const body = JSON.stringify(fresh());
          const sent = open({ 'content-length': body.length }, resolve);
          sent.write(body.slice(0, Math.floor(share * body.length)), () => setTimeout(1).then(() => sent.destroy()));
        }),
    );
    await Promise.all(gone);
    expect((await serving.verify(fresh())).status).toBe(200);
    await expectNothingLeft();
  });

  it('after kill -9 with requests under way and others scored as shadow, and after the start that follows', async () => {
    serving = await ServingProcess.start({ environment: { MVS_SHADOW_MODEL: second } });
    const claims = Array.from({ length: 11 }, (_, i) => {
      const claim = fresh();
      return serving.verify(i % 2 ? claim : formOf(claim)).catch(() => undefined);
    });
    await Promise.race(claims);
    expect(await serving.end('SIGKILL')).toBeNull();
    const answered = (await Promise.all(claims)).filter((answer) => answer !== undefined);
    expect(answered.length).toBeLessThan(claims.length);
    expect(ordinates.findUnder(serving.home)).toEqual([]);
    await serving.open();
    await expectNothingLeft(answered);
  });
});
