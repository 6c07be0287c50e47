import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lotFiles } from '../../lab/lots/lot-files.js';
import { mvs as runMvs } from './test/mvs.js';

const mvs = (...args: string[]) => runMvs(['lots', ...args]);

let folder: string;
const at = (...path: string[]) => join(folder, ...path);

/** A lot of a trader whose stones the model does not know. */
function write(to: string, parcel: number, family: 'second' | 'test' = 'second'): void {
  const order = { family, seed: 9, parcel, stones: 10, session: 'shaken', scans: 3, twins: false } as const;
  for (const { name, data } of lotFiles({ ...order, substitution: 0.2 }).files) {
    if (name === 'truth.json') continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, name), data);
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-adapt-'));
  for (let lot = 0; lot < 10; lot++) write(at('history', `lot ${lot}`), 3 * lot);
  write(at('next'), 30);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('fits a scorer on folders of lots, and a check and a rehearsal take it', async () => {
  const made = await mvs('adapt', at('history'), '--session-type', 'shaken', '--out', at('scorer.json'), '--json');
  expect([made.code, made.error.includes('is left out')]).toEqual([0, false]);
  const { digest, figures } = JSON.parse(made.out);
  expect(figures).toMatchObject({ lots: 10, members: 100, returned: 100, copies: 0 });
  expect(figures.caught.workspace).toBeGreaterThan(figures.caught.shipped);
  expect(JSON.parse(readFileSync(at('scorer.json'), 'utf8'))).toMatchObject({ format: 'mvs-lot-scorer-1', digest });

  await mvs('enrol', at('next', 'enrol'), '--session-type', 'shaken', '--out', at('next.json'));
  const check = (...more: string[]) => mvs('check', at('next.json'), at('next', 'return'), '--json', ...more);
  const [before, after] = [
    JSON.parse((await check()).out),
    JSON.parse((await check('--scorer', at('scorer.json'))).out),
  ];
  expect(before.verdict).toContain('Not to be relied on');
  expect(before.workspace_scorer).toBeNull();
  expect(after.workspace_scorer).toMatchObject({ digest, lots: 10 });
  expect(after.verdict).not.toContain('Not to be relied on');
  expect(after.warnings[0]).toMatch(/fitted on 10 of the workspace’s lots and made on/);
  const rehearsed = await mvs('rehearse', at('next.json'), '--draws', '10', '--scorer', at('scorer.json'), '--json');
  expect(JSON.parse(rehearsed.out).caught).not.toBeNull();
});

it('says what is wrong: a damaged scorer, a lot that needs none, too few lots', async () => {
  writeFileSync(at('damaged.json'), readFileSync(at('scorer.json'), 'utf8').replace('"slope":', '"slope":1'));
  const damaged = await mvs('check', at('next.json'), at('next', 'return'), '--scorer', at('damaged.json'));
  expect([damaged.code, damaged.error]).toEqual([2, expect.stringContaining('holds no lot scorer, or a damaged one')]);
  write(at('home'), 0, 'test');
  await mvs('enrol', at('home', 'enrol'), '--session-type', 'shaken', '--out', at('home.json'));
  const home = await mvs('check', at('home.json'), at('home', 'return'), '--scorer', at('scorer.json'));
  expect(home.error).toContain('leave out --scorer');
  write(at('few', 'one'), 0, 'test');
  const few = await mvs('adapt', at('few'), '--session-type', 'shaken', '--out', at('none.json'));
  expect(few.code).toBe(2);
  expect(few.error).toContain('is left out: the lot is like those');
  expect(few.error).toMatch(/a scorer needs 5 lots .* there are 0/);
});
