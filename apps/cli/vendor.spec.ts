import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SANDBOX_SECRET, Sandbox } from '../vendor-sandbox/sandbox.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mvs-vendor-'));
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start();
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const mvs = (args: string[], environment: Record<string, string> = {}) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const env = { PATH: process.env.PATH, MVS_VENDOR_URL: sandbox.url, MVS_VENDOR_KEY: SANDBOX_SECRET, ...environment };
    execFile(process.execPath, [MAIN, 'vendor', ...args], { env }, (error, out, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, error: stderr }),
    );
  });

it('answers each identifier on a line, and as JSON', async () => {
  expect(await mvs(['barcode', '100001', '100002'])).toEqual({
    code: 0,
    out: '100001  AB1001\n100002  AB1001.1\n',
    error: '',
  });
  const { out } = await mvs(['stone', 'AB1001.2', '--json']);
  expect(JSON.parse(out)).toEqual({
    asked: 'AB1001.2',
    status: 'found',
    stone_id: 'AB1001.2',
    provenance_id: 'PR-7001',
    reason: '',
  });
});

it.each([
  ['not found', ['barcode', '100001', '9'], {}, 1],
  ['refused before it is sent', ['stone', '.1', 'ZZ9'], {}, 2],
  ['no identifier', ['barcode'], {}, 3],
  ['no address', ['barcode', '1'], { MVS_VENDOR_URL: '' }, 3],
  ['an address that is not safe', ['barcode', '1'], { MVS_VENDOR_URL: 'http://vendor.example/' }, 3],
  ['a missing table', ['barcode', '--csv', 'nowhere.csv', '--out', 'x.csv'], {}, 3],
  ['--csv without --out', ['barcode', '--csv', 'nowhere.csv'], {}, 3],
])('%s', async (_what, args, environment, code) => {
  expect((await mvs(args, environment)).code).toBe(code);
});

it('a fault of the vendor is reported as one, and the secret never', async () => {
  sandbox.fault = 'html';
  const { code, error } = await mvs(['barcode', '100001']);
  sandbox.fault = undefined;
  expect([code, error]).toEqual([4, expect.stringContaining('something else than a JSON object')]);
  expect(error).not.toContain(SANDBOX_SECRET);
});

it('answers a table, goes on where it was stopped, and asks nothing twice', async () => {
  const [table, answers] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  writeFileSync(table, '\ufeffnote,Barcode\r\n"a, b",100001\r\nx,100002\r\ny,9\r\nz,100001\r\n,\r\n');
  expect((await mvs(['barcode', '--csv', table, '--out', answers])).code).toBe(1);
  const whole = readFileSync(answers, 'utf8');
  expect(whole.split('\n').slice(0, 3)).toEqual([
    'asked,status,stone_id,provenance_id,reason',
    '100001,found,AB1001,,',
    '100002,found,AB1001.1,,',
  ]);
  // The last line half written, as a killed run leaves it.
  writeFileSync(answers, whole.slice(0, -10));
  appendFileSync(table, 'w,100004\r\n');
  sandbox.seen.length = 0;
  expect((await mvs(['barcode', '--csv', table, '--out', answers])).code).toBe(1);
  expect(sandbox.seen).toEqual(['GET ?barcode=9', 'GET ?barcode=100004']);
  expect(readFileSync(answers, 'utf8').startsWith(whole)).toBe(true);
});

it('keeps what was answered when the vendor fails', async () => {
  const [table, answers] = [join(folder, 'fails.csv'), join(folder, 'failed.csv')];
  writeFileSync(table, 'barcode\n100001\n');
  sandbox.fault = 'shape';
  const { code, error } = await mvs(['barcode', '--csv', table, '--out', answers]);
  sandbox.fault = undefined;
  expect([code, error]).toEqual([4, expect.stringContaining('run it again to go on')]);
  expect((await mvs(['barcode', '--csv', table, '--out', answers])).code).toBe(0);
});
