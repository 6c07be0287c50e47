import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedLotModel } from '#science/lots/shipped';
import { lotFiles } from '../../lab/lots/lot-files.js';
import { plainLot, type SentLot } from '../server/test/lots.js';
import { mvs as runMvs } from './test/mvs.js';

const mvs = (...args: string[]) => runMvs(['lots', ...args]);

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
  expect(words).toMatch(/spring \(20 members\): 16 of 20 confirmed, 4 not confirmed/);
  expect(words).toMatch(/foreign stones confirmed by mistake, .*\n {4}allowed +10 of 100\n/);
  expect(words.match(/ {2}(not confirmed|scan again) /g)).toHaveLength(4);
});

it('writes a page to be printed: who, with what, when, the verdict and every stone', async () => {
  const args = ['check', at('spring.json'), at('back'), '--session-type', 'shaken', '--report', at('check.html')];
  const { out } = await mvs(...args, '--operator', 'A. <Meier>', '--instrument', 'm2');
  expect(out).toContain(`Report: ${at('check.html')}`);
  const page = readFileSync(at('check.html'), 'utf8');
  for (const text of ['A. &#60;Meier&#62;', 'm2', 'spring, 20 members', '16 of 20 confirmed', shippedLotModel().digest])
    expect(page).toContain(text);
  for (const stone of Object.keys(lot.truth)) expect(page).toContain(`<td>${stone}</td>`);
  expect(page).not.toMatch(/<script|undefined|<Meier>/);
});

it('says of stones that nothing was fitted on that it cannot be relied on', async () => {
  const order = { family: 'second' as const, seed: 9, parcel: 0, session: 'shaken' as const, scans: 3, twins: false };
  const { files } = lotFiles({ ...order, stones: 20, substitution: 0.2 });
  for (const part of ['enrol', 'return']) mkdirSync(at('elsewhere', part), { recursive: true });
  for (const { name, data } of files) writeFileSync(at('elsewhere', name), data);
  const foreign = at('elsewhere.json');
  const enrolled = await mvs('enrol', at('elsewhere', 'enrol'), '--session-type', 'shaken', '--out', foreign);
  expect([enrolled.code, enrolled.out]).toEqual([0, expect.stringMatching(/fit +NOT usual.*Do not rely/s)]);
  const checked = await mvs('check', foreign, at('elsewhere', 'return'), '--session-type', 'shaken');
  expect(checked.out).toMatch(/Not to be relied on.*Do not rely/s);
  const rehearsed = await mvs('rehearse', foreign, '--draws', '50');
  expect(rehearsed.out).toMatch(/^Nothing can be promised of an exchange in elsewhere/);
});

it('rehearses the same for the same seed', async () => {
  const args = ['rehearse', at('spring.json'), '--substitution', '0.1', '--draws', '40', '--seed', '3', '--json'];
  const [first, again] = await Promise.all([mvs(...args), mvs(...args)]);
  expect([first.code, first.out]).toEqual([0, again.out]);
  expect(JSON.parse(first.out)).toMatchObject({ vacated: 2, offered: 80, source: 'cohort' });
});

it('renames a lot, corrects its session type and retires it; the file keeps what was changed', async () => {
  copyFileSync(at('spring.json'), at('second.json'));
  const inFile = () => JSON.parse(readFileSync(at('second.json'), 'utf8'));
  const before = inFile();
  const named = await mvs('change', at('second.json'), '--name', 'spring, second part', '--json');
  expect([named.code, JSON.parse(named.out).name]).toEqual([0, 'spring, second part']);
  expect(JSON.parse(named.out).stones[0]).toEqual({ stone: before.stones[0].stone, scans: 3 });
  const corrected = await mvs('change', at('second.json'), '--session-type', 'culet-focus');
  expect([corrected.code, corrected.out]).toEqual([
    0,
    expect.stringContaining('spring, second part, culet-focus, 2 changes'),
  ]);
  expect(inFile()).toMatchObject({ session_type: 'culet-focus', session_type_source: 'declared' });
  expect(inFile().fit.look_alikes.usual_to).not.toBe(before.fit.look_alikes.usual_to);
  // The same name and type again are no change.
  await mvs('change', at('second.json'), '--name', 'spring, second part', '--session-type', 'culet-focus');
  expect(inFile().changes.map(({ what, to }: { what: string; to: string }) => [what, to])).toEqual([
    ['renamed', 'spring, second part'],
    ['session_type_corrected', 'culet-focus'],
  ]);
  const checked = await mvs('check', at('second.json'), at('back'), '--session-type', 'culet-focus');
  expect(checked.out).toContain('spring, second part (20 members)');
  expect([checked.code, inFile().stones]).toEqual([1, before.stones]);
  const retired = await mvs('retire', at('second.json'), '--json');
  expect([retired.code, JSON.parse(retired.out).changes.length]).toEqual([0, 3]);
  const file = readFileSync(at('second.json'), 'utf8');
  expect((await mvs('retire', at('second.json'))).code).toBe(0);
  for (const args of [
    ['change', at('second.json'), '--name', 'again'],
    ['check', at('second.json'), at('back')],
    ['rehearse', at('second.json')],
  ]) {
    const { code, error } = await mvs(...args);
    expect([code, error]).toEqual([2, expect.stringMatching(/second.json is retired: it is read, and no longer /)]);
  }
  expect(readFileSync(at('second.json'), 'utf8')).toBe(file);
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
  [
    2,
    /the number of stones .* there are 3 /,
    () => ['enrol', at('few'), '--session-type', 'shaken', '--out', at('no.json')],
  ],
  [3, /required option '--session-type <type>' not specified/, () => ['enrol', at('enrol'), '--out', at('no.json')]],
  [2, /enrolment was sent back/, () => ['check', at('spring.json'), at('enrol')]],
  [2, /holds no enrolled lot/, () => ['check', at('tray.svg'), at('back')]],
  [3, /no such file/, () => ['check', at('spring.json'), at('nowhere')]],
  [3, /no such file/, () => ['check', at('nowhere.json'), at('back')]],
  [
    3,
    /Allowed choices are shaken, table-up, culet-focus/,
    () => ['check', at('spring.json'), at('back'), '--session-type', 'x'],
  ],
  [3, /say what to change: --name or --session-type/, () => ['change', at('spring.json')]],
  [2, /a name is 1 to 64 printable characters/, () => ['change', at('spring.json'), '--name', 'a\tb']],
  [2, /holds no enrolled lot/, () => ['retire', at('tray.svg')]],
  [3, /no such file/, () => ['change', at('nowhere.json'), '--name', 'a']],
  [3, /from 0 to 0.4/, () => ['rehearse', at('spring.json'), '--substitution', '0.5']],
  [3, /names the lot itself/, () => ['rehearse', at('spring.json'), '--source', at('spring.json')]],
  [3, /unknown option '--threshold'/, () => ['check', at('spring.json'), at('back'), '--threshold', '1']],
])('exits %i, saying %s', async (status, words, args) => {
  const { code, error } = await mvs(...args());
  expect([code, error]).toEqual([status, expect.stringMatching(words)]);
});
