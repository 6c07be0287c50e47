/** Scorers and figures that were written into the log beside the service, with right checksums, under a service that starts on it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invariantsOf } from '#audit/valid-decisions';
import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import { secretFile } from '#kit/log/sqlite/seals';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { keyOf, TestLog } from '#kit/views/test/log';
import { ClaimEvidence } from '#science/calibration/evidence';
import { readScorer, scorerBytes } from '#science/calibration/scorer/bytes';
import { PopulationScorer } from '#science/calibration/scorer/scorer';
import { madeScorer } from '#science/calibration/scorer/test/made';
import { randomValues } from '#science/compute/random';
import { readModelFolder } from '#science/matching/folder';
import { VECTOR } from '#science/matching/model';
import {
  claimOf,
  projectionModel,
  TestService,
  writeModelFolder,
  writeScorerLadders,
} from '../../apps/server/test/fixture.js';
import { until } from '../../test/until.js';
import { chainRoot } from './chain.js';
import { scorerPartsDecider } from './decide-scorer-bytes.js';
import type { ScorerProposal } from './events.js';

const CLAIMS = 45;
const model = projectionModel();
const folder = mkdtempSync(join(tmpdir(), 'mvs-forged-scorer-'));
const data = () => join(service.directory, 'var');
const keys = new Map<string, string>();
let service: TestService;
let log: TestLog;

/** Another hand has no secret of the log, or one of its own. */
const OTHER_SECRET = 'another hand has a secret of its own, of 32 characters';
/** Approvals of what cannot score: every claim is refused, with this reason. */
const REFUSED: [population: string, reason: string][] = [
  ['absent', 'is not whole'],
  ['changed', 'is not what was stored'],
  ['borrowed', 'is of another population or model'],
  ['elsewhere', 'is of another population or model'],
  ['inflated', 'or of other claims, than its approval says'],
];
const CHECKED: [population: string, problem: string][] = [
  ['absent', 'names a scorer whose parts do not stand whole before it'],
  ['changed', 'completes a scorer whose bytes are not what its digest says'],
  ['changed', 'names a scorer whose parts do not stand whole before it'],
];

/** A scorer of random vectors, as its bank may be anything. */
function scorerOfAny(): PopulationScorer {
  const population = 'true';
  const encoders = model.encoders.map(({ name }) => name);
  const evidence = new ClaimEvidence(population, model.digest, encoders);
  for (let claim = 0; claim < CLAIMS; claim++) {
    const vectors = (salt: number, likeness: Float32Array) =>
      Float32Array.from(
        encoders.flatMap((_, e) => {
          const own = randomValues(1000 * salt + 10 * claim + e, VECTOR, 0.5);
          const side = own.map((value, i) => value + likeness[e * VECTOR + i]);
          const size = Math.hypot(...side);
          return [...side].map((value) => value / size);
        }),
      );
    const stone = randomValues(claim, encoders.length * VECTOR, 1);
    const side = (name: string) => ({ digest: `${name} ${claim}`, references: [] });
    evidence.add({
      ...{ claimId: `clm_${claim}`, rough: side('rough'), polish: side('polish') },
      ...{ roughVectors: vectors(1, stone), polishVectors: vectors(2, stone) },
    });
  }
  return madeScorer(evidence, readModelFolder(folder).scorerLadders!);
}

function claims(population: string): void {
  for (let n = 0; n < CLAIMS; n++) {
    const stone = { stone: `${population} ${n}` };
    log.claim({ key: keyOf(population), rough: stone, polish: stone, model: model.digest });
  }
}

function store(
  population: string,
  { digest, bytes }: PopulationScorer,
  change: (lines: string[]) => string[] = (l) => l,
) {
  const decided = scorerPartsDecider.decide(scorerPartsDecider.initial, { population, scorer: digest, bytes });
  if (!('events' in decided)) throw new Error('no parts');
  for (const { data: part, ...event } of decided.events)
    log.append(streams.scorer(population, digest), { ...event, data: { ...part, lines: change(part.lines) } });
}

function approve(population: string, scorer: PopulationScorer, more: object = {}, of: Partial<ScorerProposal> = {}) {
  const stream = streams.calibration(population);
  const { evidence_digest, method } = scorer.header;
  const proposal = {
    ...{ digest: 'd'.repeat(64), scorer: scorer.digest, evidence_digest, method, model: model.digest },
    ...{ position: '1', decisions: 0, claims: CLAIMS, groups: scorer.groups, trimmed: 0, curve: 'shipped', rungs: [] },
    ...of,
  };
  const before = log.events.filter((event) => event.stream === stream);
  const chain = chainRoot(population, before);
  log.append(stream, {
    type: 'ScorerApproved',
    version: 1,
    data: {
      ...{ population, operator: 'anna', reason: 'why', at: log.now(), chain, proposal },
      requested_by: null,
      ...more,
    },
  });
}

function write() {
  const own = scorerOfAny();
  const { header, parts } = readScorer(own.bytes);
  const made = (population: string, under = model.digest) => {
    claims(population);
    return PopulationScorer.load(scorerBytes({ ...header, population, model: under }, parts));
  };
  claims('true');
  store('true', own);
  approve('true', own);

  approve('absent', made('absent'));
  const changed = made('changed');
  // One byte of the last vector's last value.
  store('changed', changed, (lines) => [...lines.slice(0, -1), lines.at(-1)!.replace(/^.{4}/, 'AAAA')]);
  approve('changed', changed);
  claims('borrowed');
  store('borrowed', own);
  approve('borrowed', own);
  const elsewhere = made('elsewhere', 'e'.repeat(64));
  store('elsewhere', elsewhere);
  approve('elsewhere', elsewhere);
  const inflated = made('inflated');
  store('inflated', inflated);
  approve('inflated', inflated, {}, { groups: 44 });

  const { ladderDigest: ladder_digest } = readModelFolder(folder);
  const figure = (count: number, wrong_per_1000: number) =>
    log.append(streams.figure('measured'), {
      type: 'CarriedMeasured',
      version: 1,
      data: {
        ...{ population: 'measured', model: model.digest, ladder_digest, claims: count, stones: count, at: log.now() },
        rungs: [{ reject_target: 0.98, wrong_per_1000 }],
      },
    });
  claims('measured');
  figure(30, 134);
  const another = made('forged');
  store('forged', another);
  const before = log.events.length;
  approve('forged', another);
  figure(30, 1);
  figure(44, 2);
  return { own: log.events.slice(0, before), forged: log.events.slice(before) };
}

async function append(events: TestLog['events'], others: string[] = []): Promise<void> {
  const secrets = [...others, readFileSync(secretFile(data()), 'utf8').trim()];
  const eventStore = await openSqliteEventStore({ directory: data(), secrets });
  await Promise.all(
    events.map(({ stream, revision: _, position: __, ...event }) =>
      eventStore.append(stream, [{ ...event, id: newEventId() }], 'any'),
    ),
  );
  await eventStore.close();
}

beforeAll(async () => {
  writeModelFolder(folder, model);
  writeScorerLadders(folder, model);
  service = await TestService.startWithoutKey({}, undefined, [folder], { checksLog: true });
  const names = ['true', 'measured', 'forged', ...REFUSED.map(([population]) => population)];
  for (const population of names) keys.set(population, await service.createKey(`${population} key`, { population }));
  await service.service.close();
  log = new TestLog();
  const { own, forged } = write();
  await append(own);
  await append(forged, [OTHER_SECRET]);
  service.lines.length = 0;
  await service.open();
  await until(async () => (await detail()).not_obeyed === 1);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const parts = async () => (await service.call('GET', '/health/detail', { headers: service.operator })).body.parts;
const detail = async () => (await parts()).calibration;
const answer = (population: string) => service.verify(claimOf(1), { 'x-api-key': keys.get(population)! });
const lines = () => service.lines.map((line) => JSON.parse(line));

describe('a scorer in a log', () => {
  it('scores where the domain made its approval', async () => {
    expect(await answer('true')).toMatchObject({ status: 200, body: { scorer: 'population' } });
  });

  it('does not where another hand wrote its approval, which is named', async () => {
    expect(await answer('forged')).toMatchObject({ status: 503, body: { code: 'log_damaged' } });
    expect((await detail()).not_obeyed_events).toMatchObject([{ population: 'forged', type: 'ScorerApproved' }]);
  });

  it.each(REFUSED)('is no other where its bytes are not what was approved: %s', async (population, reason) => {
    for (let i = 0; i < 2; i++)
      expect(await answer(population)).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(`policy or asset message: the scorer .* ${reason}`) },
      });
    const alarms = lines().filter((line) => line.alarm === 'calibration' && line.population === population);
    expect(alarms).toMatchObject([{ msg: 'scorer not loaded', problem: expect.stringContaining(reason) }]);
    // An operator ends it.
    const withdrawal = { reason: 'it cannot be loaded' };
    const path = `/api/v1/calibration/${population}/scorer/withdraw`;
    expect(await service.json('POST', path, withdrawal, service.operator)).toMatchObject({ status: 200 });
    expect(await answer(population)).toMatchObject({ status: 200, body: { scorer: 'raw' } });
  });

  it('is named by the check of the log where its parts are not whole', async () => {
    await until(() => lines().some(({ msg }) => msg === 'event log checked'));
    const reader = openSqliteEventReader({ directory: data() });
    const invariants = await invariantsOf(reader);
    const found: [population: unknown, problem: string][] = [];
    for await (const event of reader.readAll())
      for (const problem of invariants.check(event)) found.push([event.data.population, problem]);
    await reader.close();
    expect(found).toEqual(CHECKED.map(([population, problem]) => [population, expect.stringContaining(problem)]));
    const { log_check } = await parts();
    expect(log_check).toMatchObject({ status: 'damaged' });
    const problems = log_check.damage.map(({ problem }: { problem: string }) => problem);
    expect(problems.filter((one: string) => !/^has a seal by a secret/.test(one))).toEqual(
      found.map(([, problem]) => problem),
    );
  });
});

it('tells no figure of a population over whose measured one another hand wrote', async () => {
  const { warnings } = (await answer('measured')).body;
  expect(warnings).not.toContainEqual(expect.stringContaining('of 1,000 wrong claims'));
  const { damaged_rows } = (await parts()).log_seal;
  expect(damaged_rows).toContainEqual(expect.objectContaining({ stream: 'figure-measured' }));
});
