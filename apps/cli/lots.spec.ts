import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { plainLot, type SentLot } from '../server/test/lots.js';

const MAIN = join(dirname(fileURLToPath(import.meta.url)), 'main.js');
const mvs = (...args: string[]) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [MAIN, 'lots', ...args], (error, out, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, error: stderr });
    });
  });

let folder: string;
let lot: SentLot;
const at = (...parts: string[]) => join(folder, ...parts);
const write = (into: string, files: SentLot['enrol']) => {
  mkdirSync(at(into));
  for (const { name, data } of files) writeFileSync(at(into, name), data);
};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-lots-'));
  lot = await plainLot();
  write('enrol', lot.enrol);
  write('back', lot.back);
  write('few', lot.enrol.slice(0, 9));
  const { code, out } = await mvs('enrol', at('enrol'), '--session-type', 'shaken', '--out', at('spring.json'));
  expect([code, out]).toEqual([0, expect.stringContaining('20 stones of 60 scans enrolled as spring')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('checks a returned lot, draws its tray, and exits 1 where a stone is not confirmed', async () => {
  const args = ['check', at('spring.json'), at('back'), '--session-type', 'shaken'];
  const { code, out } = await mvs(...args, '--json', '--tray', at('tray.svg'));
  const { stones, counts } = JSON.parse(out);
  expect([code, counts.confirmed]).toEqual([1, 16]);
  const answered = stones.map(({ stone, member }: { stone: string; member: string | null }) => [
    stone,
    member ?? 'substitute',
  ]);
  expect(Object.fromEntries(answered)).toEqual(lot.truth);
  const tray = readFileSync(at('tray.svg'), 'utf8');
  expect(tray).toMatch(/^<svg .*16 of 20 confirmed.*<\/svg>\n$/s);
  for (const stone of Object.keys(lot.truth)) expect(tray).toContain(`>${stone}<`);
  const { out: words } = await mvs(...args);
  expect(words).toMatch(/spring \(20 members\): 16 of 20 confirmed, /);
  expect(words.match(/ {2}(not confirmed|scan again) /g)).toHaveLength(4);
});

it('rehearses the same for the same seed', async () => {
  const args = ['rehearse', at('spring.json'), '--substitution', '0.1', '--draws', '40', '--seed', '3', '--json'];
  const [first, again] = await Promise.all([mvs(...args), mvs(...args)]);
  expect([first.code, first.out]).toEqual([0, again.out]);
  expect(JSON.parse(first.out)).toMatchObject({ vacated: 2, offered: 80, source: 'cohort' });
});

it('keeps vectors and no spectrum in the file', () => {
  const kept = JSON.parse(readFileSync(at('spring.json'), 'utf8'));
  expect(kept.stones).toHaveLength(20);
  expect(Object.keys(kept.stones[0]).toSorted()).toEqual(
    ['stone', 'scans', 'digest', 'scan_digests', 'vector', 'cohort', 'crowding'].toSorted(),
  );
  expect(Buffer.from(kept.stones[0].vector, 'base64')).toHaveLength(4 * 96);
});

it.each<[number, RegExp, () => string[]]>([
  [2, /the number of stones .* there are 3 /, () => ['enrol', at('few'), '--out', at('no.json')]],
  [2, /enrolment was sent back/, () => ['check', at('spring.json'), at('enrol')]],
  [2, /holds no enrolled lot/, () => ['check', at('tray.svg'), at('back')]],
  [3, /no such file/, () => ['check', at('spring.json'), at('nowhere')]],
  [3, /no such file/, () => ['check', at('nowhere.json'), at('back')]],
  [
    3,
    /Allowed choices are shaken, table-up, culet-focus/,
    () => ['check', at('spring.json'), at('back'), '--session-type', 'x'],
  ],
  [3, /from 0 to 0.4/, () => ['rehearse', at('spring.json'), '--substitution', '0.5']],
  [3, /names the lot itself/, () => ['rehearse', at('spring.json'), '--source', at('spring.json')]],
  [3, /unknown option '--threshold'/, () => ['check', at('spring.json'), at('back'), '--threshold', '1']],
])('exits %i, saying %s', async (status, words, args) => {
  const { code, error } = await mvs(...args());
  expect([code, error]).toEqual([status, expect.stringMatching(words)]);
});
