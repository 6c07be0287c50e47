/** What clients and operators are answered on a log in which another writer wrote, changed and copied rows of every type. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import Database from 'libsql';
import { dataOf, EVENT_TYPES } from '#catalogue/test/arbitrary';
import { isOwnStream, streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import type { RecordedEvent } from '#kit/log/port';
import { handIn as handInFile } from '#kit/log/sqlite/test/hand';
import type { ForgedRow, OtherHand } from '#kit/log/test/forgery';
import { LOG_SECRET, startDouble } from '../../../test/eventstoredb/double.js';
import { handIn as handInDouble } from '../../../test/eventstoredb/hand.js';
import { openDoubleLog } from '../../../test/eventstoredb/log.js';
import { contract } from './contract.js';
import { claimOf, mixedUpClaim, TestService } from './fixture.js';
import { sentLot, Trader } from './lots.js';

interface Log {
  service: TestService;
  hand(): OtherHand & { close(): void };
  close(): Promise<void>;
}

const CHECKED = { checksLog: true };
/** The check pauses nine times as long as it worked, and works the longer the more often this process is asked how far it is. */
const LOOK_MS = 1000;
const withClose = (db: Database.Database, hand: OtherHand) => ({ ...hand, close: () => void db.close() });
const open = (file: string) => new Database(file, { timeout: 5 } as Database.Options);

const LOGS: Record<'SQLite' | 'EventStoreDB', () => Promise<Log>> = {
  SQLite: async () => {
    const service = await TestService.start({}, undefined, CHECKED);
    const hand = () => {
      const db = open(join(service.directory, 'var', 'events.db'));
      return withClose(db, handInFile(db));
    };
    return { service, hand, close: () => service.stop() };
  },
  EventStoreDB: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-forged-'));
    const file = join(directory, 'double.db');
    const { connectionString, close } = await startDouble(openDoubleLog(file));
    const environment = {
      ...{ EVENTSTORE_URL: connectionString, MVS_LOG_SECRET: LOG_SECRET },
      MVS_OPERATOR_KEYS: `olga:${createHash('sha256').update('olga-key').digest('hex')}`,
    };
    const service = await TestService.startWithoutKey(environment, undefined, undefined, CHECKED);
    service.operatorKey = 'olga-key';
    service.apiKey = await service.createKey('lab-a');
    const hand = () => {
      const db = open(file);
      return withClose(db, handInDouble(db));
    };
    return {
      ...{ service, hand },
      async close() {
        await service.stop();
        await close();
        rmSync(directory, { recursive: true });
      },
    };
  },
};

/** Answers that tell of the log as it stands, of this process or of this moment. */
const OTHERWISE =
  /[.]zip$|stream$|streams|views$|openapi|^.api.v1$|operators|tray|report$|^.(health|metrics|docs|console|$)/;
/** What names the rows, and says when it was looked. */
const TOLD = new Set(['log_damaged', 'not_obeyed', 'as_of', 'hygiene']);

export const forgedOver = (name: keyof typeof LOGS) =>
  describe(`a service on ${name}`, () => {
    let log: Log;
    let trader: Trader;
    let service: TestService;
    /** Of its claims, in their order. */
    const claims: string[] = [];
    /** Of its keys: one that is used, one that was revoked, and one that is at the end. */
    let keys: Record<'used' | 'revoked' | 'later', { key: string; prefix: string }>;
    /** For the contract's paths. */
    let places: Record<string, string>;

    const operate = (method: string, path: string, body: object) => service.json(method, path, body, service.operator);
    const asKey = (key: string) => ({ 'x-api-key': key });
    const label = (claim_id: string, expected: string) =>
      service.json('POST', '/api/v1/expected', [{ claim_id, expected }], asKey(keys.used.key));
    const revoke = async ({ prefix }: { prefix: string }) =>
      expect((await service.call('DELETE', `/api/v1/keys/${prefix}`, { headers: service.operator })).status).toBe(200);

    beforeAll(async () => {
      log = await LOGS[name]();
      ({ service } = log);
      const until = new Date(Date.now() + 86_400_000).toISOString();
      trader = await Trader.in(service, 'trader');
      const lot = sentLot(0, { stones: 10 });
      const { lot_id } = (await trader.enrol(lot.enrol, { name: 'spring', session_type: 'shaken' })).body;
      const { check_id } = (await trader.check(lot_id, lot.back, { session_type: 'shaken' })).body;
      const made: [string, { key: string; prefix: string }][] = [];
      for (const name of ['used', 'revoked', 'later']) {
        const key = await service.createKey(name, { population: 'lab-a' });
        const { items } = (await service.call('GET', '/api/v1/keys', { headers: service.operator })).body;
        made.push([name, { key, prefix: items.find((one: { name: string }) => one.name === name).prefix }]);
      }
      keys = Object.fromEntries(made) as typeof keys;
      const sent = [claimOf(1), claimOf(2), mixedUpClaim(3), { ...claimOf(4), polish: claimOf(1).polish }];
      for (const claim of sent) claims.push((await service.verify(claim, asKey(keys.used.key))).body.claim_id);
      claims.push((await service.verify(claimOf(5), asKey(keys.revoked.key))).body.claim_id);
      await revoke(keys.revoked);
      await label(claims[0], 'match');
      await operate('POST', `/api/v1/claims/${claims[2]}/review`, { note: 'measured again', outcome: 'right' });
      await operate('POST', `/api/v1/calibration/lab-a/rungs/0.9/approve`, { reason: 'too early' });
      const findings = (await service.call('GET', '/api/v1/findings', { headers: service.operator })).body.items;
      const stream = (await events()).find(({ type }) => type === 'ClaimScored')!.stream;
      places = {
        ...{ population: 'lab-a', claim_id: claims[0], id: findings[0].id, stream, lot_id, check_id, until },
        token_prefix: (await service.call('GET', '/api/lotscan/workspaces', { headers: service.operator })).body
          .items[0].prefix,
      };
    });
    afterAll(() => log.close());

    async function events(after = 0n): Promise<RecordedEvent[]> {
      const found: RecordedEvent[] = [];
      for await (const event of service.service.log.readAll({ after }))
        if (isOwnStream(event.stream)) found.push(event);
      return found;
    }

    /** All that operators, workspaces and a key read, by path; of a damaged log what does not need a damaged stream. */
    async function read(damaged = false): Promise<Record<string, unknown>> {
      const answers: Record<string, unknown> = {};
      for (const [path, { get }] of Object.entries(contract.paths)) {
        if (!get || OTHERWISE.test(path)) continue;
        const filled = path.replace(/[{](.+?)[}]/g, (_, name) => encodeURIComponent(places[name]));
        const window = /overview$|summary$/.test(path) ? `?from=2026-01-01T00:00:00Z&to=${places.until}` : '';
        const ofTrader = path.startsWith('/api/lotscan/') && !path.includes('workspaces');
        const ofKey = path.startsWith('/api/v1/verify-match');
        const headers = ofTrader ? trader.headers : ofKey ? asKey(keys.used.key) : service.operator;
        const answer = await service.call('GET', filled + window, { headers });
        if (damaged && answer.status === 503) {
          expect([path, answer.body.code]).toEqual([path, 'log_damaged']);
          continue;
        }
        expect([path, answer.status]).toEqual([path, 200]);
        if (path.endsWith('hygiene')) delete answer.body.at;
        answers[path] = JSON.parse(JSON.stringify(answer.body, (name, value) => (TOLD.has(name) ? undefined : value)));
      }
      return answers;
    }

    /** What clients are answered on what they sent before. */
    async function asked(): Promise<unknown[]> {
      const answers = [
        ...(await Promise.all([1, 2].map((stone) => service.verify(claimOf(stone), asKey(keys.used.key))))),
        await service.verify(mixedUpClaim(3), asKey(keys.used.key)),
        await label(claims[1], 'perhaps'),
      ];
      return answers.map(({ status, body }) => [status, { ...body, request_id: undefined, instance: undefined }]);
    }

    it('refuses what needs damaged streams, answers all else as before, and all once the rows are disowned', async () => {
      const before = await asked();
      const sound = await read();
      const end = await service.service.log.head();

      // All of it is changed below: nothing of it was.
      await label(claims[1], 'no_match');
      await label(claims[0], 'no_match');
      await revoke(keys.later);
      await operate('POST', `/api/v1/claims/${claims[0]}/review`, { note: 'not the same', outcome: 'wrong' });
      await operate('POST', `/api/v1/findings/${encodeURIComponent(places.id)}/review`, {
        note: 'seen',
        outcome: 'explained',
      });
      await service.verify(claimOf(6), asKey(keys.used.key));
      await service.json('PATCH', `/api/lotscan/lots/${places.lot_id}`, { name: 'autumn' }, trader.headers);
      await service.createKey('one more');
      expect(await read()).not.toEqual(sound);
      const own = await events();
      const later = own.filter(({ position }) => position > end);
      expect(new Set(later.map(({ type }) => type)).size).toBeGreaterThan(8);
      // A log that lacks its newest event is another matter.
      await service.service.log.append(
        'another-application',
        [{ id: newEventId(), type: 'Any', version: 1, data: {} }],
        'any',
      );
      await service.service.close();

      const hand = log.hand();
      let forged = 0;
      const ends = new Map<string, number>();
      for (const { stream, revision } of own) ends.set(stream, Number(revision) + 1);
      const write = (row: ForgedRow) => {
        const revision = ends.get(row.stream) ?? 0;
        ends.set(row.stream, revision + 1);
        hand.write({ ...row, revision });
        forged++;
      };
      for (const { stream, revision } of later) {
        const row = hand.read(stream, Number(revision));
        hand.change({ ...row, recordedAt: row.recordedAt + 1 });
        forged++;
      }
      const { seal: stolen, before: behind } = hand.read(own[0].stream, 0);
      const names = [...ends.keys(), streams.calibration('lab-a'), streams.model(), streams.views()];
      for (const type of EVENT_TYPES) {
        const like = own.filter((event) => event.type === type && event.position <= end);
        const chosen = fc.record({
          data: dataOf(type),
          name: fc.constantFrom(...names),
          like: fc.nat(),
          sealed: fc.boolean(),
        });
        for (const one of fc.sample(chosen, 2)) {
          const { stream, data = {} } = like[one.like % like.length] ?? {};
          const made = { id: newEventId(), type, version: 1, recordedAt: Date.now(), revision: 0 };
          const seal = {
            metadata: null,
            seal: one.sealed ? stolen : null,
            ...(behind !== undefined && { before: behind }),
          };
          // Beside events of its own type under the data of one of them, and anywhere.
          write({ ...made, ...seal, stream: stream ?? one.name, data: JSON.stringify({ ...one.data, ...data }) });
          write({ ...made, ...seal, id: newEventId(), stream: one.name, data: JSON.stringify(one.data) });
        }
        for (const { stream, revision } of like.slice(0, 2)) {
          const row = hand.read(stream, Number(revision));
          const other =
            names.find((name) => name !== stream && name.split('-')[0] === stream.split('-')[0]) ?? names[0];
          write(row);
          write({ ...row, stream: other });
        }
      }
      hand.close();
      rmSync(join(service.directory, 'var', 'views'), { recursive: true });

      const { operatorKey } = service;
      await service.open();
      service.operatorKey = operatorKey;
      const parts = async () => (await service.call('GET', '/health/detail', { headers: service.operator })).body.parts;
      const isChecked = async () => {
        const { checked, head } = (await parts()).log_check;
        return checked !== null && checked === head;
      };
      // As long as it takes: on a busy machine its pauses are minutes.
      const checked = async () => {
        while (!(await isChecked())) await sleep(LOOK_MS);
      };
      await checked();
      const { log_seal, log_check } = await parts();
      expect([log_check.status, log_check.damaged, log_seal.damaged]).toEqual(['damaged', forged, forged]);
      const some = await read(true);
      expect(some).toEqual(Object.fromEntries(Object.keys(some).map((path) => [path, sound[path]])));
      for (const [i, [status, body]] of ((await asked()) as [number, { code?: string }][]).entries())
        if (status === 503) expect(body.code).toBe('log_damaged');
        else expect([status, body]).toEqual(before[i]);
      expect([401, 503]).toContain((await service.verify(claimOf(1), asKey(keys.revoked.key))).status);
      const overview = await service.call('GET', '/api/v1/overview', { headers: service.operator });
      if (overview.status === 200) expect(overview.body.alarms).toMatchObject({ log_damaged: forged });
      else expect(overview.body).toMatchObject({ code: 'log_damaged' });
      const { body } = await service.call('GET', '/metrics', { headers: service.operator });
      expect(body).toContain(`mvs_log_damaged_rows ${forged}\n`);
      expect(body).toContain('mvs_log_check{status="damaged"} 1');

      const named = service.lines.map((line) => JSON.parse(line)).filter(({ alarm }) => alarm === 'log_damaged_row');
      const rows = named.map(({ position, stream }) => ({ position, stream }));
      expect(rows).toHaveLength(forged);
      const data = { rows, operator: 'ada', reason: 'seen', at: new Date().toISOString() };
      await service.service.log.append('log', [{ id: newEventId(), type: 'RowsDisowned', version: 1, data }], 'any');
      await service.service.close();
      await service.open();
      service.operatorKey = operatorKey;
      await checked();
      expect(await parts()).toMatchObject({ log_check: { damaged: 0 }, log_seal: { damaged: 0 } });
      expect(await read()).toEqual(sound);
      expect(await asked()).toEqual(before);
      expect((await service.verify(claimOf(1), asKey(keys.revoked.key))).status).toBe(401);
      // A key that was not revoked, as the event that says so is none.
      expect((await service.verify(claimOf(7), asKey(keys.later.key))).status).toBe(200);
    });
  });
