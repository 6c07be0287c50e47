import type { RecordedEvent } from '#kit/log/port';
import { closeViews, viewOf } from '#kit/views/test/log';
import { generateStreams } from '../../test/streams.js';
import { type CallQuery, countsOf, enoughFrom, windowOf } from './call-counts.js';
import { telemetryProjection } from './view-calls.js';

afterAll(closeViews);

const START = Date.parse('2026-01-05T08:00:00.000Z');
/** The generated calls, over some four hours. */
const spread = (time: string) => new Date(START + 40 * (Date.parse(time) - START)).toISOString();
const events = [...generateStreams(800)].map(({ data, revision, recordedAt, ...event }, i) => ({
  ...event,
  ...{ position: BigInt(i + 1), revision: BigInt(revision), recordedAt: new Date(spread(recordedAt.toISOString())) },
  data: JSON.parse(JSON.stringify(data), (_, value) =>
    typeof value === 'string' && value.startsWith('2026-01-05T') ? spread(value) : value,
  ),
})) as RecordedEvent[];
const { db } = viewOf(telemetryProjection, events);

const at = (time: string) => `2026-01-05T${time}Z`;
const TIMES = [
  '08:00:00.000',
  '08:10:00.000',
  '08:13:20.017',
  '08:59:59.999',
  '09:00:00.000',
  '10:20:00.001',
  '11:07:00.000',
];
const WHO: CallQuery[] = [{}, { key: 'lab-a' }, { population: 'lab-a' }, { key_kind: 'test' }];
const WHAT = ['status', 'reason', 'repeat', 'verdict', 'warning', 'rough_scans', 'polish_scans'];

/** Sums of what a window's parts of seven minutes count: no hour and no ten minutes are in one. */
function oneByOne(from: string, to: string, who: CallQuery): Record<string, number> {
  const sums: Record<string, number> = {};
  for (let begin = Date.parse(from); begin < Date.parse(to); begin += 420_000) {
    const end = Math.min(begin + 420_000, Date.parse(to));
    const part = { from: new Date(begin).toISOString(), to: new Date(end).toISOString() };
    for (const [name, count] of Object.entries(counted({ ...part, ...who }))) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

function counted(query: CallQuery): Record<string, number> {
  const [{ own } = { own: undefined }] = countsOf(db, query).values();
  return Object.fromEntries(
    WHAT.flatMap((what) => Object.entries(own?.of(what) ?? {}).map(([value, count]) => [`${what} ${value}`, count])),
  );
}

it.each(TIMES.flatMap((from, i) => TIMES.slice(i + 1).map((to) => [from, to])))(
  'counts of a window are those of its calls: from %s to %s',
  (from, to) => {
    for (const who of WHO)
      expect([who, counted({ from: at(from), to: at(to), ...who })]).toEqual([who, oneByOne(at(from), at(to), who)]);
  },
);

it('counts nothing in the last hour that a time can name', () => {
  expect(counted({ from: '9999-12-31T23:30:00.000Z', to: '9999-12-31T23:59:59.000Z' })).toEqual({});
});

it('counts everything where no window is given', () => {
  expect(counted({})).toEqual(oneByOne(at('07:00:00.000'), '2026-01-05T23:00:00.000Z', {}));
  expect(counted({ to: at('09:13:00.000') })).toEqual(oneByOne(at('07:00:00.000'), at('09:13:00.000'), {}));
  expect(Object.keys(counted({})).length).toBeGreaterThan(10);
});

it.each([1, 40, 300, 10_000])('the latest %i answered calls are found from an hour on', (enough) => {
  const latest = (query: CallQuery) => {
    const conditions = windowOf(query);
    conditions.where("tag = 'verify_match' AND status = 200");
    const sql = `SELECT position FROM calls ${conditions} ORDER BY at DESC, position DESC LIMIT ?`;
    return db.prepare(sql).all(...conditions.values, enough);
  };
  for (const who of WHO) {
    for (const from of [undefined, ...TIMES.map(at)]) {
      const query = { ...who, from, to: at('11:20:00.000') };
      const narrow = { ...query, from: enoughFrom(db, query, 'verify_match', enough) };
      expect(latest(narrow)).toEqual(latest(query));
      if (enough === 1 && from === undefined) expect(narrow.from).toBe(at('10:00:00.000'));
      if (enough === 10_000) expect(narrow.from).toBe(from);
    }
  }
});
