/** The rest of lots after every kind of end: each is there once as it was answered, and no submitted ordinate is. */
import { invariantsOf } from '#audit/valid-decisions';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { Random, type SimulatedScan } from '#simulator';
import type { Answered } from '../../apps/server/test/client.js';
import { type LotFile, sentLot, Trader } from '../../apps/server/test/lots.js';
import { Ordinates } from '../../apps/server/test/ordinates.js';
import { ServingProcess } from '../../apps/server/test/process.js';
import type { LotEvent } from './events.js';

let serving: ServingProcess;
afterEach(() => serving?.remove());

/** The files with numbers of full precision that no other files have. */
function full(files: LotFile[], seed: number, ordinates?: Ordinates): LotFile[] {
  const random = new Random('full precision', seed);
  return files.map(({ name, data }) => {
    const rows = new TextDecoder()
      .decode(data)
      .trim()
      .split('\n')
      .map((line) => line.split(',').map(Number));
    const scan: SimulatedScan = {
      wavenumbers: Float64Array.from(rows, ([w]) => w),
      absorbance: Float64Array.from(rows, ([, y]) => y + 1e-6 * random.between(0, 1)),
    };
    ordinates?.addSide('rough', [scan]);
    const text = rows.map(([w], i) => `${w},${scan.absorbance[i]}`).join('\n');
    return { name, data: new TextEncoder().encode(text) };
  });
}
const ten = (files: LotFile[]) => files.slice(0, 30);

async function lotEvents(): Promise<LotEvent[]> {
  const reader = openSqliteEventReader({ directory: serving.data });
  const invariants = await invariantsOf(reader);
  const found: LotEvent[] = [];
  for await (const event of reader.readAll()) {
    expect([event.type, invariants.check(event)]).toEqual([event.type, []]);
    if (/^Lot(Enrolled|Checked|Rehearsed)$/.test(event.type)) found.push(event as unknown as LotEvent);
  }
  await reader.close();
  return found;
}

it('no submitted ordinate is left, after success, refusal, kill -9 and the start that follows', async () => {
  const ordinates = new Ordinates();
  serving = await ServingProcess.start();
  const trader = await Trader.in(serving, 'trader');
  const lot = sentLot(0);
  const enrolled = await trader.enrol(full(ten(lot.enrol), 1, ordinates), { name: 'kept' });
  const back = full(lot.back.slice(0, 9), 2, ordinates);
  const checked = await trader.check(enrolled.body.lot_id, back);
  const [first, ...rest] = full(ten(lot.enrol), 3, ordinates);
  const refused = [
    await trader.enrol(rest, { name: 'refused' }),
    await trader.enrol([{ ...first, data: first.data.slice(0, 500) }, ...rest.slice(3)], { name: 'refused' }),
    await trader.enrol([...rest, first], { name: 'refused', threshold: '0.1' }),
    await trader.enrol([first, ...rest], { name: 'kept' }),
  ];
  expect([enrolled, checked, ...refused].map(({ status }) => status)).toEqual([201, 200, 422, 400, 400, 409]);
  const cut = Array.from({ length: 6 }, (_, i) =>
    trader.enrol(full(ten(lot.back), 10 + i, ordinates), { name: `cut ${i}` }),
  );
  await Promise.race(cut);
  expect(await serving.end('SIGKILL')).toBeNull();
  await Promise.allSettled(cut);
  expect(ordinates.findUnder(serving.home)).toEqual([]);
  await serving.open();
  await trader.get('/lots');
  await serving.end('SIGTERM');
  expect(ordinates.size).toBeGreaterThan(50_000);
  expect(ordinates.findUnder(serving.home)).toEqual([]);
  expect(ordinates.findIn(Buffer.from(serving.lines.join('\n')))).toBeUndefined();
  expect(ordinates.findIn(Buffer.from(JSON.stringify((await lotEvents()).map(({ data }) => data))))).toBeUndefined();
  for (const { body } of [enrolled, checked, ...refused])
    expect(ordinates.findIn(Buffer.from(JSON.stringify(body)))).toBeUndefined();
  expect(serving.lines.join('\n')).not.toContain(trader.token.slice(-43));
});

describe('kill -9 between upload and answer', () => {
  it('loses no lot and no check that was answered, and doubles none that is sent again', async () => {
    const random = new Random('lots killed', 1);
    serving = await ServingProcess.start({ environment: { MVS_LOG_LEVEL: 'info' } });
    const trader = await Trader.in(serving, 'trader');
    const enrolled = (await trader.enrol(ten(sentLot(0).enrol), { name: 'first' })).body.lot_id;
    type Sending = () => Promise<Answered>;
    const all: { send: Sending; answered?: unknown }[] = [];
    for (let round = 0; round < 3; round++) {
      const sent = Array.from({ length: 6 }, (_, i): { send: Sending; answered?: unknown } => {
        const seed = 100 * round + i;
        const files = full(ten(sentLot(0).back), seed);
        if (i % 3 === 0) return { send: () => trader.enrol(files, { name: `lot ${seed}` }) };
        if (i % 3 === 1) return { send: () => trader.check(enrolled, files) };
        return { send: () => trader.rehearse(enrolled, { seed, draws: 50 }) };
      });
      const answers = sent.map(async (one) => {
        const answer = await one.send().catch(() => undefined);
        if (answer && answer.status < 300) one.answered = answer.body;
      });
      await Promise.race([Promise.race(answers), new Promise((done) => setTimeout(done, random.between(20, 200)))]);
      await serving.end('SIGKILL');
      await Promise.all(answers);
      await serving.open();
      for (const one of sent) {
        const { status, body } = await one.send();
        expect(status).toBeLessThan(300);
        if (one.answered) expect(body).toEqual(one.answered);
        one.answered = body;
      }
      all.push(...sent);
    }
    for (const { send, answered } of all) expect((await send()).body).toEqual(answered);
    const listed = (await trader.get('/lots')).body.items;
    expect(listed).toHaveLength(7);
    expect(await serving.end('SIGTERM')).toBe(0);
    const events = await lotEvents();
    const ids = events.map(({ data }) =>
      'check_id' in data ? data.check_id : 'rehearsal_id' in data ? data.rehearsal_id : data.lot_id,
    );
    expect([events.length, new Set(ids).size]).toEqual([1 + all.length, 1 + all.length]);
  });
});
