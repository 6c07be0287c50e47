/** A population moved from one cell to another: everything it had is there, and nothing else came along. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainRoot } from '#calibration/chain';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { withAppend } from '#kit/log/guarded';
import { type EventStore, StoreUnavailable } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { keyOf, proposalOf, TestLog } from '#kit/views/test/log';
import { LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { claimOf, mixedUpClaim, TestService } from '../server/test/fixture.js';
import { mvs as runMvs } from './test/mvs.js';

const environment = { ...process.env, MVS_DATA_DIR: '', EVENTSTORE_URL: '' };
const mvs = (...args: string[]) => runMvs(['events', ...args], { env: environment });

const folder = mkdtempSync(join(tmpdir(), 'mvs-population-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

/** Each log seals what it exports by its own secret. */
const withoutSeal = (exported: string) => exported.replace(/,"seal":"[^"]+"/, '');

describe('a population that is moved to another cell', () => {
  let from: TestService;
  let to: TestService;
  const data = (service: TestService) => join(service.directory, 'var');
  let before: Awaited<ReturnType<typeof stateOf>>;
  let answers: Awaited<ReturnType<typeof answersOf>>;
  let ofTarget: unknown;
  let keys: string[];

  const get = async (on: TestService, path: string) => (await on.call('GET', path, { headers: on.operator })).body;
  /** All that operators and clients see of the population. */
  async function stateOf(on: TestService) {
    const { rungs } = await get(on, '/api/v1/calibration/lab-a');
    const { items } = await get(on, '/api/v1/keys');
    return {
      claims: (await get(on, '/api/v1/claims?population=lab-a&limit=200')).items,
      findings: (await get(on, '/api/v1/findings?population=lab-a')).items,
      approvals: rungs.map(({ approved_at, threshold }: Record<string, unknown>) => ({ approved_at, threshold })),
      history: { ...(await get(on, '/api/v1/calibration/lab-a/history')), as_of: undefined },
      keys: items.filter(({ population }: { population: string }) => population === 'lab-a'),
    };
  }
  const answersOf = async (on: TestService) => {
    const as = { 'x-api-key': keys[0] };
    const answers = [await on.verify(claimOf(100), as), await on.verify({ ...claimOf(100), reject_target: 0.99 }, as)];
    return answers.map(({ body }) => body);
  };

  beforeAll(async () => {
    from = await TestService.startWithoutKey({});
    to = await TestService.startWithoutKey({});
    keys = [await from.createKey('machine 1', { population: 'lab-a' })];
    keys.push(await from.createKey('machine 2', { population: 'lab-a' }));
    const other = { 'x-api-key': await from.createKey('elsewhere', { population: 'lab-b' }) };
    await from.json('POST', '/api/lotscan/workspaces', { name: 'trader' }, from.operator);
    const stones = Array.from({ length: 40 }, (_, stone) => 100 + stone);
    while (stones.length > 0)
      await Promise.all(stones.splice(0, 8).map((one) => from.verify(claimOf(one), { 'x-api-key': keys[0] })));
    await from.verify(mixedUpClaim(1), other);
    for (const rough of [1, 2, 3]) await from.verify(claimOf(rough, { polishOf: 1 }), { 'x-api-key': keys[1] });
    const { body } = await from.verify(claimOf(100), { 'x-api-key': keys[0] });
    await from.json('POST', '/api/v1/expected', [{ claim_id: body.claim_id, expected: 'match' }], {
      'x-api-key': keys[0],
    });
    await from.json('POST', `/api/v1/claims/${body.claim_id}/review`, { note: 'looked at' }, from.operator);
    const [finding] = (await get(from, '/api/v1/findings?kind=probing')).items;
    await from.json('POST', `/api/v1/findings/${finding.id}/review`, { note: 'a mix-up' }, from.operator);
    const rung = (await get(from, '/api/v1/calibration/lab-a')).rungs.find(
      ({ reject_target }: { reject_target: number }) => reject_target === 0.99,
    );
    const decided = { reason: 'tried', proposal_digest: rung.proposal.digest };
    const path = '/api/v1/calibration/lab-a/rungs/0.99/approve';
    expect((await from.json('POST', path, decided, from.operator)).status).toBe(200);

    const own = { 'x-api-key': await to.createKey('its own', { population: 'lab-c' }) };
    expect((await to.verify(claimOf(1), own)).status).toBe(200);
    await to.json('POST', '/api/lotscan/workspaces', { name: 'another trader' }, to.operator);
    answers = await answersOf(from);
    before = await stateOf(from);
    ofTarget = await get(to, '/api/v1/claims?population=lab-c');
    await from.service.close();
    await to.service.close();
  });
  afterAll(async () => {
    await from.stop();
    await to.stop();
  });

  it('is exported with what is its own; what stays is named', async () => {
    const { code, error } = await mvs('export', '--population', 'lab-a', '--data', data(from), '--out', at('lab-a'));
    expect([code, error]).toEqual([
      0,
      expect.stringContaining(
        'Exported population lab-a: 2 keys, 44 claims and what belongs to them. Stays: populations lab-b; 1 workspaces with 0 lots;',
      ),
    ]);
    const streams = readFileSync(at('lab-a'), 'utf8')
      .split('\n')
      .slice(1, -2)
      .map((line) => JSON.parse(line).stream.split('-')[0]);
    expect(new Set(streams)).toEqual(
      new Set(
        ['key', 'claim', 'bank', 'labels', 'review', 'finding', 'calibration', 'figure'].filter((head) =>
          streams.includes(head),
        ),
      ),
    );
    expect(streams).toEqual(
      expect.arrayContaining(['key', 'claim', 'bank', 'labels', 'review', 'finding', 'calibration']),
    );
  });

  it('is refused by name where there is none of it', async () => {
    const { code, error } = await mvs('export', '--population', 'lab-x', '--data', data(from), '--out', at('lab-x'));
    expect([code, error]).toEqual([2, expect.stringContaining('populations: lab-a, lab-b')]);
    expect(() => readFileSync(at('lab-x'))).toThrow('ENOENT');
  });

  it('is in the other cell as it was: claims, findings, labels, approvals, keys and answers', async () => {
    const imported = await mvs('import', at('lab-a'), '--data', data(to));
    expect([imported.code, imported.out]).toEqual([
      0,
      expect.stringMatching(/^Imported \d+ events of population lab-a:/),
    ]);
    expect(await mvs('import', at('lab-a'), '--data', data(to))).toMatchObject({
      code: 0,
      out: expect.stringContaining('Imported 0 events'),
    });
    expect(await mvs('verify', '--data', data(to))).toMatchObject({ code: 0, out: expect.stringContaining('sound') });
    const again = (await mvs('export', '--population', 'lab-a', '--data', data(to))).out;
    expect(withoutSeal(again)).toBe(withoutSeal(readFileSync(at('lab-a'), 'utf8')));
    await to.open();
    const after = await stateOf(to);
    expect(before.claims.length).toBe(44);
    expect(before.findings.length).toBeGreaterThan(0);
    expect(after).toEqual(before);
    expect(await answersOf(to)).toEqual(answers);
    expect(answers[1].threshold_source).toMatch(/^population-calibrated/);
    expect(await get(to, '/api/v1/claims?population=lab-c')).toEqual(ofTarget);
    expect((await get(to, '/api/v1/claims?population=lab-b')).items).toEqual([]);
    expect((await get(to, '/api/lotscan/workspaces')).items).toMatchObject([{ name: 'another trader' }]);
  });

  it('is not imported over what the cell has answered since, nor where a key has the name of another’s', async () => {
    expect((await to.verify(claimOf(300), { 'x-api-key': keys[1] })).status).toBe(200);
    await to.service.close();
    const again = await mvs('import', at('lab-a'), '--data', data(to));
    expect([again.code, again.error]).toEqual([2, expect.stringContaining('holds something of lab-a')]);
    const third = await TestService.startWithoutKey({});
    await third.createKey('machine 1', { population: 'lab-z' });
    await third.service.close();
    const taken = await mvs('import', at('lab-a'), '--data', data(third));
    expect([taken.code, taken.error]).toEqual([2, expect.stringContaining('revision 0 of stream key-')]);
    await third.stop();
    await to.open();
  });
});

/** A log with two populations, one of them with an approval. @param version of the approval: 1 is of before the chain */
async function filled(name: string, version = 2): Promise<EventStore> {
  const log = new TestLog();
  const claims = (population: string) => {
    const key = keyOf(population);
    log.append(`key-${key.id}`, {
      type: 'KeyCreated',
      version: 1,
      data: { key, secret_sha256: 'c'.repeat(64), operator: 'anna', at: log.now() },
    });
    for (let n = 0; n < (version > 1 ? 3 : 75); n++) {
      const stone = { stone: `${population} ${n}` };
      log.claim({ key, rough: stone, polish: stone });
    }
  };
  claims('labb');
  claims('laba');
  // As it was written before there was a chain.
  for (const event of version > 1 ? [] : log.events) {
    if (event.type !== 'ClaimSubmitted') continue;
    const { shared_scans: _, ladder_digest: __, rough, polish, ...kept } = event.data as Record<string, never>;
    const side = ({ detail_residual_measured: _, ...of }: Record<string, unknown>) => of;
    Object.assign(event, { version: 1, data: { ...kept, rough: side(rough), polish: side(polish) } });
  }
  log.append('calibration-laba', {
    type: 'RungApproved',
    version,
    data: {
      ...{ population: 'laba', reject_target: 0.98, operator: 'anna', reason: 'why', at: log.now() },
      ...{ proposal: proposalOf({ claims: 75 }), requested_by: null },
      ...(version > 1 && { chain: chainRoot('laba', []) }),
    },
  });
  const store = await openSqliteEventStore({ directory: at(name) });
  for (const { stream, revision, position: _, ...event } of log.events)
    await store.append(stream, [event], revision === 0n ? 'no_stream' : revision - 1n);
  return store;
}

describe('an import that dies', () => {
  it.each(['SQLite', 'EventStoreDB'])('at any event goes on where it was, and ends the same: %s', async (kind) => {
    const source = await filled(`source of ${kind}`);
    await source.close();
    const { out } = await mvs('export', '--population', 'laba', '--data', at(`source of ${kind}`));
    writeFileSync(at('moved'), out);
    const events = out.trimEnd().split('\n').length - 2;
    expect(events).toBeGreaterThan(10);
    let deaths = 0;
    for (let died = true, n = 0; died; n += kind === 'SQLite' ? 1 : 3) {
      const double = kind === 'SQLite' ? undefined : await startDouble(openDoubleLog(at(`double ${n}.db`)));
      const open = async () =>
        double
          ? openEventStoreDB({ secrets: [LOG_SECRET], connectionString: double.connectionString })
          : openSqliteEventStore({ directory: at(`target ${n}`) });
      const store = await open();
      let left = n;
      const dying = withAppend(store, {
        append: async (...of) => {
          if (left-- <= 0) throw new StoreUnavailable('dead');
          return store.append(...of);
        },
        appendEarly: (appends) => store.appendEarly(appends),
      });
      died = await importInto(dying).then(
        () => false,
        (error) => error.message === 'dead',
      );
      deaths += Number(died);
      await store.close();
      const alive = await open();
      const { present, written } = await importInto(alive);
      expect([present < events, present + written]).toEqual([died, events]);
      expect(withoutSeal(await exportOf(alive))).toBe(withoutSeal(out));
      await alive.close();
      await double?.close();
    }
    expect(deaths).toBeGreaterThan(3);
  });

  async function importInto(store: EventStore) {
    const { checkExport, importLog, linesOf } = await import('#kit/log/transfer');
    const { partToImport } = await import('./population.js');
    const { createReadStream } = await import('node:fs');
    const lines = () => linesOf(createReadStream(at('moved')));
    const summary = await checkExport(lines());
    const part = await partToImport({ ...summary, population: summary.population! }, lines, store);
    return importLog(lines(), store, { together: 1, part });
  }
  async function exportOf(store: EventStore) {
    const { exportLog } = await import('#kit/log/transfer');
    const { PopulationPart } = await import('./population.js');
    let text = '';
    for await (const line of exportLog(store, { part: new PopulationPart('laba') })) text += `${line}\n`;
    return text;
  }
});

describe('an import is refused, and writes nothing,', () => {
  const refused = async (text: string, into: string) => {
    writeFileSync(at('bad'), text);
    const { code, error } = await mvs('import', at('bad'), '--data', at(into));
    const { out } = await mvs('list', '--json', '--data', at(into));
    return { code, error, streams: JSON.parse(out).length };
  };

  it('where a decision of before the chain would no longer count', async () => {
    await (await filled('unchained', 1)).close();
    const target = await openSqliteEventStore({ directory: at('chained') });
    const other = new TestLog();
    other.claim({ key: keyOf('labc'), rough: { stone: 'c' }, polish: { stone: 'c' } });
    for (const { stream, revision, position: _, ...event } of other.events)
      await target.append(stream, [event], revision === 0n ? 'no_stream' : revision - 1n);
    await target.close();
    const { out } = await mvs('export', '--population', 'laba', '--data', at('unchained'));
    const { code, error, streams } = await refused(out, 'chained');
    expect([code, error]).toEqual([2, expect.stringContaining('before decisions were chained')]);
    expect(streams).toBe(new Set(other.events.map(({ stream }) => stream)).size);
  });

  it('where it holds streams of others, or is cut, or says another population', async () => {
    await (await filled('whole')).close();
    await (await openSqliteEventStore({ directory: at('empty') })).close();
    const { out } = await mvs('export', '--data', at('whole'));
    const renamed = (text: string, population: string) =>
      text.replace(/^.*\n/, `${JSON.stringify({ mvs_events: 1, population })}\n`);
    expect(await refused(renamed(out, 'laba'), 'empty')).toMatchObject({
      code: 2,
      error: expect.stringMatching(/line 2 of the export is of stream key-\w+, which is not of laba/),
      streams: 0,
    });
    const own = (await mvs('export', '--population', 'laba', '--data', at('whole'))).out;
    expect(await refused(own.slice(0, -100), 'empty')).toMatchObject({ code: 2, streams: 0 });
    expect(await refused(renamed(own, 'labb'), 'empty')).toMatchObject({ code: 2, streams: 0 });
  });

  it('as an export: --population and --replace-unreadable say two things', async () => {
    const { code, error } = await mvs('export', '--population', 'laba', '--replace-unreadable', '--data', at('whole'));
    expect([code, error]).toEqual([3, expect.stringContaining('not both')]);
  });
});
