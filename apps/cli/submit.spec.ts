import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import { freePort } from '../../test/ports.js';
import { program } from '../../test/programs.js';
import { until } from '../../test/until.js';
import { claimOf, filesOf } from '../server/test/fixture.js';
import { ServingProcess } from '../server/test/process.js';
import type { Row } from './submission.js';
import { mvs as inThisProcess } from './test/mvs.js';

const MAIN = program('mvs');
const home = mkdtempSync(join(tmpdir(), 'mvs-submit-'));
const keyFile = join(home, 'key');
const started: ChildProcess[] = [];
let serving: ServingProcess;
beforeAll(async () => {
  // It is killed and started again on the same port.
  serving = await ServingProcess.start({ environment: { PORT: String(await freePort()) } });
  writeFileSync(keyFile, `${serving.apiKey}\n`);
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await serving.remove();
  rmSync(home, { recursive: true });
});

interface Run {
  child: ChildProcess;
  out: string;
  error: string;
  ended: Promise<number | null>;
}

function mvs(...args: string[]): Run {
  const child = spawn(process.execPath, [MAIN, 'submit', ...args], { env: { PATH: process.env.PATH } });
  started.push(child);
  const run: Run = { child, out: '', error: '', ended: new Promise((resolve) => child.once('close', resolve)) };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (run.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (run.error += text));
  return run;
}

const here = (...args: string[]) => inThisProcess(['submit', ...args], { env: { PATH: process.env.PATH } });

/** What would be sent: asks no service. */
const planned = (folder: string, ...more: string[]) => here(folder, '--dry-run', ...more);

const optionsOf = (folder: string, url = serving.address) => [
  '--url',
  url,
  '--key-file',
  keyFile,
  '--out',
  `${folder}.csv`,
];
const sent = (folder: string, ...more: string[]) => mvs(folder, ...optionsOf(folder), ...more);
/** The same in this process, which may hold the table from then on: for the last run on it. */
const answered = (folder: string, ...more: string[]) => here(folder, ...optionsOf(folder), ...more);

const linesIn = (out: string): Row[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const stonesIn = (out: string) => linesIn(out).map(({ stone }) => stone);

const rowsOf = (folder: string): Row[] =>
  existsSync(`${folder}.csv`)
    ? Papa.parse<Row>(readFileSync(`${folder}.csv`, 'utf8'), { header: true, skipEmptyLines: true }).data
    : [];

/** Files of a stone, as a spectrometer leaves them. */
function drop(folder: string, stone: number, roughScans = 3): void {
  mkdirSync(folder, { recursive: true });
  const claim = claimOf(stone, { roughScans });
  for (const side of ['rough', 'polish'] as const) {
    filesOf(claim[side]).forEach(({ text }, i) => {
      writeFileSync(join(folder, `S${stone}_${side}_${i + 1}.csv`), text);
    });
  }
}

/** Rows of a stone's file with a head of their own, each changed. */
function foreign(folder: string, file: string, head: string, of: (x: number, y: number) => [number, number]): void {
  const path = join(folder, file);
  const rows = readFileSync(path, 'utf8').trim().split('\n');
  const changed = rows.map((row) => of(...(row.split(',').map(Number) as [number, number])).join(','));
  writeFileSync(path, [head, ...changed].join('\n').trimStart());
}

/** Claim ids of the service's ledger, of polishes of these stones. */
async function ledger(): Promise<string[]> {
  const { body } = await serving.call('GET', '/api/v1/claims?limit=200', { headers: serving.operator });
  return body.items.map(({ claim_id }: { claim_id: string }) => claim_id);
}

it('answers every pair once, refuses in rows, labels, and goes on where it was stopped', async () => {
  const folder = join(home, 'once');
  for (const stone of [1, 2]) drop(folder, stone);
  writeFileSync(join(folder, 'bad_rough_1.csv'), 'no scan');
  writeFileSync(join(folder, 'bad_polish_1.csv'), 'no scan');
  writeFileSync(join(folder, 'half_rough_1.csv'), 'no partner');
  const truth = join(home, 'truth.csv');
  writeFileSync(truth, '\ufeffStone,Expected\r\nS1,match\r\nS2,\r\n');

  const plan = await planned(folder, '--json');
  expect(plan.code).toBe(0);
  expect(stonesIn(plan.out)).toEqual(['bad', 'S1', 'S2']);
  expect(rowsOf(folder)).toEqual([]);

  const first = sent(folder, '--label', truth, '--json');
  expect([await first.ended, first.error]).toEqual([2, expect.stringContaining('1 accepted')]);
  expect(first.error).toContain('half: only one side is there');
  const rows = rowsOf(folder);
  expect(rows.map(({ stone, verdict, action }) => [stone, verdict, action])).toEqual([
    ['bad', 'REFUSED', 'mend'],
    ['S1', 'MATCH', 'accept'],
    ['S2', 'MATCH', 'accept'],
  ]);
  expect(rows[0]).toMatchObject({ code: 'unparseable', file: 'bad_rough_1.csv', claim_id: '' });
  expect(rows[0].fix).not.toBe('');
  expect(linesIn(first.out)).toEqual(rows);
  expect(Number(rows[1].p_match_5050)).toBeGreaterThan(0.5);

  // The last line half written, as a power cut leaves it, in a table of 0.2, which lacks the last column; one file mended; one stone new.
  const former = readFileSync(`${folder}.csv`, 'utf8').replaceAll(/,[^,\n]*$/gm, '');
  expect(former).toMatch(/,file,fix\n/);
  writeFileSync(`${folder}.csv`, former.slice(0, -9));
  drop(folder, 3);
  const again = await answered(folder, '--label', truth, '--json');
  expect(again.code).toBe(2);
  expect(stonesIn(again.out)).toEqual(['S2', 'S3']);
  expect(rowsOf(folder).slice(0, 3)).toEqual(rows);
  expect((await ledger()).sort()).toEqual(
    rowsOf(folder)
      .flatMap(({ claim_id }) => claim_id || [])
      .sort(),
  );
});

const inputs = join(process.env.MVS_SHARED_DATA ?? join(process.cwd(), '../shared/data'), 'inputs');
const manifest = join(inputs, 'manifest.json');

it('refuses what is no absorbance of a diamond in rows that name the file and what it looks like, names files it left, and answers the rest', async () => {
  const folder = join(home, 'foreign');
  for (const stone of [71, 72, 73, 74, 75]) drop(folder, stone);
  foreign(folder, 'S72_rough_2.csv', '', (x, y) => [x, 100 * 10 ** -y]);
  foreign(folder, 'S73_polish_1.csv', 'Wellenlänge [nm],Extinktion', (x, y) => [1e7 / x, y]);
  foreign(folder, 'S74_polish_1.csv', '', (x) => [x, 86_531 * Math.exp(-(((x - 1332) / 30) ** 2)) - 116]);
  foreign(folder, 'S75_polish_1.csv', '', (x, y) => [x, Math.exp(-(((x - 1870) / 30) ** 2)) + 1e-6 * y]);
  writeFileSync(join(folder, 'photo.jpg'), 'x');
  writeFileSync(join(folder, 'desktop.ini'), 'x');
  const run = await answered(folder);
  expect(run.code).toBe(2);
  expect(rowsOf(folder)).toEqual([
    expect.objectContaining({ stone: 'S71', verdict: 'MATCH', code: '' }),
    ...[
      ['S72', 'S72_rough_2.csv', 'per-cent transmittance'],
      ['S73', 'S73_polish_1.csv', 'wavelength'],
      ['S74', 'S74_polish_1.csv', 'counts'],
      ['S75', 'S75_polish_1.csv', 'no diamond'],
    ].map(([stone, file, said]) =>
      expect.objectContaining({ stone, verdict: 'REFUSED', file, fix: expect.stringContaining(said), claim_id: '' }),
    ),
  ]);
  expect(run.error).toContain('photo.jpg');
  expect(run.error).not.toContain('desktop.ini');
});

(existsSync(manifest) ? it : it.skip)(
  'refuses each of the small inputs of all kinds that is to be refused, by its name',
  async () => {
    const folder = join(home, 'inputs');
    drop(folder, 76);
    const wanted: { file: string; mode: string; expect: string; reason_has?: string }[] = JSON.parse(
      readFileSync(manifest, 'utf8'),
    ).filter((one: { mode: string; expect: string }) => one.mode !== 'json' && one.expect === 'refuse');
    expect(wanted.length).toBeGreaterThan(20);
    const pairs = join(home, 'inputs-pairs.csv');
    const rough = [1, 2, 3].map((n) => `S76_rough_${n}.csv`).join(';');
    const rows = wanted.map(({ file }) => `${file},${rough},${join(inputs, file)}`);
    writeFileSync(pairs, ['stone,rough,polish', ...rows].join('\n'));
    const { code } = await answered(folder, '--pairs', pairs);
    expect([code, rowsOf(folder).length]).toEqual([2, wanted.length]);
    for (const [i, { stone, verdict, file, fix }] of rowsOf(folder).entries()) {
      expect([stone, verdict]).toEqual([wanted[i].file, 'REFUSED']);
      expect(file).toContain(wanted[i].file);
      expect(fix.toLowerCase()).toContain(wanted[i].reason_has ?? '');
    }
  },
);

it('one table belongs to one run: the second exits with 3 and names the first; a killed one leaves nothing in the way', async () => {
  const folder = join(home, 'twice');
  drop(folder, 51);
  const first = sent(folder, '--watch', '--every', '0.2');
  await until(() => rowsOf(folder).length === 1);
  const second = sent(folder);
  expect([await second.ended, second.error]).toEqual([
    3,
    expect.stringContaining(`is in use by the run of process ${first.child.pid} since 20`),
  ]);
  first.child.kill('SIGKILL');
  await first.ended;
  drop(folder, 52);
  expect(await sent(folder).ended).toBe(0);
  expect(rowsOf(folder).map(({ stone }) => stone)).toEqual(['S51', 'S52']);
  writeFileSync(
    `${home}/no-lock.csv.lock`,
    'not a database, and longer than one header of a hundred bytes: '.repeat(4),
  );
  const foreign = await answered(folder, '--out', `${home}/no-lock.csv`);
  expect([foreign.code, foreign.error]).toEqual([3, expect.stringContaining('no-lock.csv.lock cannot be used')]);
});

it('says at its end what became of every pair, and names a file that stays empty', async () => {
  const folder = join(home, 'summary');
  drop(folder, 61);
  // The polish of one stone with the rough of another, and a scan that stands on both sides.
  for (const n of [1, 2, 3]) cpSync(join(folder, `S61_rough_${n}.csv`), join(folder, `mixed_rough_${n}.csv`));
  drop(join(home, 'other'), 62);
  cpSync(join(home, 'other', 'S62_polish_1.csv'), join(folder, 'mixed_polish_1.csv'));
  for (const n of [1, 2, 3]) cpSync(join(folder, `S61_rough_${n}.csv`), join(folder, `same_rough_${n}.csv`));
  cpSync(join(folder, 'S61_rough_1.csv'), join(folder, 'same_polish_1.csv'));
  writeFileSync(join(folder, 'bad_rough_1.csv'), 'no scan');
  writeFileSync(join(folder, 'bad_polish_1.csv'), 'no scan');
  writeFileSync(join(folder, 'half_rough_1.csv'), 'no partner');
  const run = sent(folder);
  expect(await run.ended).toBe(2);
  expect(run.error).toMatch(
    /mvs: 5 pairs: 1 match, 1 no match, 1 to review, 1 refused, 1 not answered\nmvs: refused: bad: rough: bad_rough_1[.]csv: .*\nmvs: not answered: half: only one side is there\n$/,
  );
  writeFileSync(join(folder, 'empty_rough_1.csv'), '');
  writeFileSync(join(folder, 'empty_polish_1.csv'), 'x');
  const watch = sent(folder, '--watch', '--every', '0.1');
  await until(() => watch.error.includes('it is waited for'));
  watch.child.kill('SIGINT');
  expect(await watch.ended).toBe(2);
  expect(watch.error).toMatch(/not answered: empty: .*empty_rough_1[.]csv has 0 bytes: copy it again\n$/);
});

it('sends at another rung, no faster than asked, and what was refused again', async () => {
  const folder = join(home, 'again');
  for (const stone of [31, 32, 33]) drop(folder, stone);
  writeFileSync(join(folder, 'bad_rough_1.csv'), 'no scan');
  writeFileSync(join(folder, 'bad_polish_1.csv'), 'no scan');
  const began = performance.now();
  expect(await sent(folder, '--reject-target', '0.9', '--rate', '2').ended).toBe(2);
  expect(performance.now() - began).toBeGreaterThan(1_500);
  const rows = rowsOf(folder);
  expect(rows.map(({ stone }) => stone)).toEqual(['bad', 'S31', 'S32', 'S33']);
  const { body } = await serving.call('GET', `/api/v1/claims/${rows[1].claim_id}`, { headers: serving.operator });
  expect(body.reject_target).toBe(0.9);

  const again = sent(folder, '--reject-target', '0.9', '--again', 'refused', '--json');
  expect(await again.ended).toBe(2);
  expect(again.out.trim().split('\n')).toEqual([expect.stringContaining('"stone":"bad"')]);
  expect(rowsOf(folder).map(({ stone }) => stone)).toEqual(['S31', 'S32', 'S33', 'bad']);
  // At the default they are other claims.
  const plan = await planned(folder, '--json', '--out', `${folder}.csv`);
  expect(plan.code).toBe(0);
  expect(plan.out).not.toContain('"answered":true');
  expect((await planned(folder, '--reject-target', '0.985')).code).toBe(3);
  expect((await planned(folder, '--rate', '0')).code).toBe(3);
});

it('reads a pattern, and a table of pairs', async () => {
  const folder = join(home, 'named');
  drop(folder, 4);
  const named = await planned(folder, '--json', '--pattern', '^S(?<stone>.+)_(?<side>r|p)[a-z]+_');
  expect(named.code).toBe(0);
  expect(JSON.parse(named.out)).toMatchObject({ stone: '4', answered: false });
  const pairs = join(home, 'pairs.csv');
  writeFileSync(pairs, 'rough,polish\nS4_rough_1.csv; S4_rough_2.csv,S4_polish_1.csv\nabsent.csv,S4_polish_1.csv\n');
  const listed = await planned(folder, '--json', '--pairs', pairs);
  expect(listed.code).toBe(0);
  expect(JSON.parse(listed.out)).toMatchObject({
    stone: 'S4_polish_1.csv',
    rough: [join(folder, 'S4_rough_1.csv'), join(folder, 'S4_rough_2.csv')],
  });
  expect((await planned(folder, '--pattern', '(.+)')).code).toBe(3);
  const template = await planned(folder, '--json', '--pattern', '*{stone}_{side}_{scan}').catch(String);
  expect(template).toMatchObject({ code: 3, error: expect.stringContaining('between two fields') });
  const read = await planned(folder, '--json', '--pattern', 'S{stone}_{side}_{scan}');
  expect(JSON.parse(read.out)).toMatchObject({ stone: '4' });
  const endless = await planned(folder, '--pattern', '^(?<stone>(.|.)+)+_(?<side>[rp])!$');
  expect([endless.code, endless.error]).toEqual([3, expect.stringContaining('longer than a second for S')]);
  const unfit = await planned(folder, '--pattern', '{side}-{stone}');
  expect([unfit.code, unfit.error]).toEqual([2, expect.stringMatching(/S4_rough_1.csv: its name[\s\S]*--pattern/)]);
});

it('ends with a sentence where the key is refused or the address is another, settles nothing and prints no key', async () => {
  const folder = join(home, 'refused');
  drop(folder, 5);
  const wrong = join(home, 'wrong-key');
  writeFileSync(wrong, `${serving.apiKey}x`);
  const refused = sent(folder, '--key-file', wrong);
  expect([await refused.ended, refused.error]).toEqual([4, expect.stringContaining('the key is refused')]);
  const page = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>')).listen(0);
  const elsewhere = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  const lost = await answered(folder, '--url', elsewhere);
  expect([lost.code, lost.error]).toEqual([4, expect.stringContaining('check the address')]);
  page.close();
  expect(rowsOf(folder)).toEqual([]);
  for (const { out, error } of [refused, lost]) expect(out + error).not.toContain(serving.apiKey);
});

it('an interrupt while the service is away ends the wait, settles nothing, and the next run answers', async () => {
  const folder = join(home, 'interrupted');
  drop(folder, 6);
  const away = mvs(folder, ...optionsOf(folder, `http://127.0.0.1:${await freePort()}`));
  await until(() => away.error.includes('the service is away or busy'));
  away.child.kill('SIGINT');
  expect([await away.ended, away.error]).toEqual([
    4,
    expect.stringContaining('not answered: S6: the run ended while it was on its way'),
  ]);
  expect(rowsOf(folder)).toEqual([]);
  expect((await answered(folder)).code).toBe(0);
  expect(rowsOf(folder).map(({ stone }) => stone)).toEqual(['S6']);
});

it('a fault of the service at labels ends no watch, and is told', async () => {
  const folder = join(home, 'faulty-labels');
  const truth = join(home, 'faulty.csv');
  writeFileSync(truth, 'stone,expected\nS41,match\nS42,match\n');
  drop(folder, 41);
  const service = createServer((request, answer) => {
    if (request.url?.endsWith('/expected')) {
      answer.writeHead(500, { 'x-request-id': 'r-9' }).end('{"detail":"internal error"}');
      return;
    }
    const passed = ask(serving.address + request.url, { method: request.method, headers: request.headers }, (from) => {
      answer.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(answer);
    });
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => service.listen(0, resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const run = mvs(folder, ...optionsOf(folder, url), '--label', truth, '--watch', '--every', '0.2');
  await until(() => run.error.includes('report request r-9'));
  drop(folder, 42);
  await until(() => rowsOf(folder).length === 2);
  run.child.kill('SIGTERM');
  expect([await run.ended, run.error]).toEqual([4, expect.stringContaining('not answered')]);
  service.closeAllConnections();
  service.close();
});

it('watches: files drop in while the service is killed twice and the command too, and every pair is answered once', async () => {
  const folder = join(home, 'watched');
  mkdirSync(folder);
  const before = new Set(await ledger());
  const watch = () => sent(folder, '--watch', '--every', '0.2');
  const rows = (count: number, run: Run) =>
    until(() => rowsOf(folder).length >= count || run.child.exitCode !== null).catch((error) => {
      throw new Error(`${error}: ${run.error}`);
    });
  let run = watch();
  drop(folder, 11);
  await rows(1, run);
  for (const stone of [12, 14]) {
    await serving.end('SIGKILL');
    drop(folder, stone);
    await until(() => run.error.includes('the service is away or busy'));
    drop(folder, stone + 1);
    // The command dies as well, in the midst of waiting.
    run.child.kill('SIGKILL');
    await run.ended;
    run = watch();
    await serving.open();
    await rows(stone - 9, run);
  }
  // A file that is still written is not sent.
  const ready = join(home, 'ready');
  drop(ready, 16);
  writeFileSync(join(folder, 'S16_polish_1.csv'), '');
  for (const n of [1, 2, 3]) renameSync(join(ready, `S16_rough_${n}.csv`), join(folder, `S16_rough_${n}.csv`));
  drop(folder, 17);
  await rows(6, run);
  expect(rowsOf(folder).map(({ stone }) => stone)).not.toContain('S16');
  renameSync(join(ready, 'S16_polish_1.csv'), join(folder, 'S16_polish_1.csv'));
  await rows(7, run);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);

  const all = rowsOf(folder);
  expect(all.map(({ stone }) => stone).sort()).toEqual(['S11', 'S12', 'S13', 'S14', 'S15', 'S16', 'S17']);
  expect(new Set(all.map(({ pair }) => pair)).size).toBe(7);
  expect((await ledger()).filter((id) => !before.has(id)).sort()).toEqual(all.map(({ claim_id }) => claim_id).sort());
});
