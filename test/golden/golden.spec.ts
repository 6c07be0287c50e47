import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CalibrationEvent, evolveCalibration, rungOf, uncalibrated } from '#calibration/events';
import { type DriftEvent, evolveDrift, noDrift } from '#calibration/events-drift';
import { evolveModel, type ModelSwitched, neverSwitched } from '#calibration/events-model';
import { admissionFault } from '#catalogue/admission';
import { catalogue } from '#catalogue/catalogue';
import { isKnownEvent, upcast } from '#catalogue/upcast';
import { type ClaimEvent, evolveClaim, noClaim } from '#claims/events';
import { type BankEvent, evolveBank, nothingBanked } from '#claims/events-bank';
import { fold } from '#domain/decider';
import { streams } from '#domain/streams';
import { decodeLotVector, decodeVector } from '#domain/vectors';
import { apiKeys, workspaces } from '#keys/decide';
import type { KeyEvent, WorkspaceEvent } from '#keys/events';
import type { EventStore, NewEvent, RecordedEvent } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { evolveLabels, type LabelEvent, noLabels } from '#labels/events';
import { evolveLot, type LotEvent, noLot } from '#lots/events';
import { until } from '../until.js';

/** Streams as they were once written, kept for good: today's code must read them. */
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const golden = join(root, relative(join(root, 'dist'), here));
const files = readdirSync(golden).filter((name) => name.endsWith('.ndjson'));

const directory = mkdtempSync(join(tmpdir(), 'mvs-golden-'));
let store: EventStore;
let recorded: RecordedEvent[];
/** As a subscription gets them that follows while they are appended. */
const heard: RecordedEvent[] = [];
const written: (NewEvent & { stream: string; revision: number })[] = [];

beforeAll(async () => {
  store = await openSqliteEventStore({ directory, upcast });
  store.subscribe({}, { onEvent: (event) => void heard.push(event) });
  for (const file of files) {
    for (const line of readFileSync(join(golden, file), 'utf8').trimEnd().split('\n')) {
      const { stream, revision, ...event } = JSON.parse(line);
      written.push({ stream, revision, ...event });
      await store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1));
    }
  }
  recorded = [];
  for await (const event of store.readAll()) recorded.push(event);
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const stream = async <E>(prefix: string, nth = 0): Promise<E[]> => {
  const names = [...new Set(recorded.map((event) => event.stream).filter((name) => name.startsWith(prefix)))];
  return (await store.readStream(names[nth])) as unknown as E[];
};

describe('golden streams', () => {
  it('hold every version of every event that was ever written', () => {
    const kept = new Set(written.map(({ type, version }) => `${type} ${version}`));
    const ever = Object.entries(catalogue).flatMap(([type, { version }]) =>
      Array.from({ length: version }, (_, i) => `${type} ${i + 1}`),
    );
    expect(ever.filter((one) => !kept.has(one))).toEqual([]);
  });

  it('are read in their newest version, with exactly the members of the catalogue', () => {
    expect(recorded).toHaveLength(written.length);
    for (const event of recorded) {
      expect(isKnownEvent(event)).toBe(true);
      expect([event.type, admissionFault(event.stream, event)]).toEqual([event.type, undefined]);
    }
  });

  it('reach a subscription of the process that appends them as they reach a reader', async () => {
    await until(() => heard.length === written.length);
    expect(heard).toStrictEqual(recorded);
  });

  it('say what came of a review, null where it was a note alone', async () => {
    const outcomes = async (prefix: string) =>
      (await stream<{ data: { note: string; outcome: string | null } }>(prefix)).map(({ data }) => [
        data.note,
        data.outcome,
      ]);
    expect(await outcomes('review-')).toEqual([
      ['measured anew: the same stone', null],
      ['measured once more: the same stone', 'wrong'],
      ['the wrong claim was noted', 'taken_back'],
    ]);
    expect(await outcomes('finding-')).toEqual([
      ['two roughs of one parcel were mixed up', null],
      ['a mix-up, put right', null],
      ['the laboratory mixed up two bags', 'client_asked'],
    ]);
  });

  it('fold to what they meant', async () => {
    const absent = { status: 'absent' } as const;
    expect(fold(apiKeys.evolve, absent, await stream<KeyEvent>('key-'))).toMatchObject({
      status: 'active',
      owner: { name: 'lab-a' },
    });
    expect(fold(apiKeys.evolve, absent, await stream<KeyEvent>('key-', 1))).toMatchObject({
      status: 'revoked',
      revokedBy: 'ben',
    });
    const lot = fold(evolveLot, noLot, await stream<LotEvent>('lot-'));
    if (lot.status !== 'recorded' || lot.event.type !== 'LotEnrolled') throw new Error('no lot');
    expect(lot.event.data).toMatchObject({ name: 'spring', session_type: 'shaken', stones: { length: 10 } });
    expect(lot.event.data.stones.map(({ vector }) => decodeLotVector(vector)?.length)).toEqual(Array(10).fill(96));
    expect(fold(evolveLot, noLot, await stream<LotEvent>('lotcheck-'))).toMatchObject({
      event: { data: { stones: { length: 5 }, result: { counts: { returned: 5 } } } },
    });
    expect(fold(evolveLot, noLot, await stream<LotEvent>('rehearsal-'))).toMatchObject({
      event: { data: { wish: { draws: 20, source: 'cohort' }, result: { offered: 40 } } },
    });
    expect(fold(workspaces.evolve, absent, await stream<WorkspaceEvent>('workspace-'))).toMatchObject({
      status: 'revoked',
      owner: { name: 'trader' },
      revokedBy: 'ben',
    });
    expect(fold(evolveClaim, noClaim, await stream<ClaimEvent>('claim-'))).toMatchObject({
      status: 'scored',
      scoring: { result: { verdict: 'MATCH', fused_score: 0.8123 } },
      repeats: 1,
      shadows: ['b'.repeat(64)],
    });
    expect(fold(evolveClaim, noClaim, await stream<ClaimEvent>('claim-', 2))).toMatchObject({ status: 'submitted' });
    const withVectors = await store.readStream(
      streams.claim('1c327e55b394e191', 'clm_7a8f9e0d1c2b3a4958677869504a3b2c'),
    );
    expect(withVectors.map(({ type }) => type)).toEqual([
      'ClaimSubmitted',
      'ScanSetBanked',
      'ScanSetBanked',
      'ClaimScored',
    ]);
    expect(fold(evolveClaim, noClaim, withVectors as unknown as ClaimEvent[])).toMatchObject({ status: 'scored' });
    const labels = fold(evolveLabels, noLabels(), await stream<LabelEvent>('labels-'));
    expect([...labels.values()].map((versions) => versions.map(({ expected }) => expected))).toEqual([
      ['no_match', 'match'],
    ]);
    const [requested, approved, withdrawn] = await stream<CalibrationEvent>('calibration-');
    const model = 'proposal' in requested.data ? requested.data.proposal.model : '';
    const calibrated = fold(evolveCalibration, uncalibrated, [requested, approved]);
    expect(rungOf(calibrated, model, 0.98)).toMatchObject({ approval: { operator: 'ben', requested_by: 'anna' } });
    expect(rungOf(evolveCalibration(calibrated, withdrawn), model, 0.98)).toEqual({ changes: 2 });
    const chains = async (nth: number) =>
      (await stream<CalibrationEvent>('calibration-', nth)).map(({ data }) => data.chain?.slice(0, 3) ?? null);
    expect([await chains(0), await chains(1)]).toEqual([
      [null, null, null],
      ['c00', 'c11', 'c22'],
    ]);
    expect(fold(evolveModel, neverSwitched, await stream<ModelSwitched>('model'))).toMatchObject({
      switched: { to: 'b'.repeat(64), populations_falling_back: ['lab-a'] },
    });
    const [began, ended] = await stream<DriftEvent>('drift-');
    const drifting = evolveDrift(noDrift, began);
    expect(drifting.open).toMatchObject({ population: 'lab-a', window: { to: 5120, claims: 100 } });
    expect(evolveDrift(drifting, ended)).toEqual({ recordedTo: { [Object.keys(drifting.recordedTo)[0]]: 5930 } });
    const bank = fold(evolveBank, nothingBanked, await stream<BankEvent>('bank-'));
    expect(
      bank.status === 'banked' && Object.values(bank.set.vectors).map((text) => decodeVector(text)?.length),
    ).toEqual([256, 256]);
  });
});
