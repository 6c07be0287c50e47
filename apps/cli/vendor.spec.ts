import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SANDBOX_SECRET, Sandbox } from '../../tools/vendor-sandbox/sandbox.js';
import { mvs as runMvs } from './test/mvs.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
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
  runMvs(['vendor', ...args], {
    env: { PATH: process.env.PATH, MVS_VENDOR_URL: sandbox.url, MVS_VENDOR_KEY: SANDBOX_SECRET, ...environment },
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

it('a wrong key settles no row: the right one goes on', async () => {
  const [table, answers] = [join(folder, 'keys.csv'), join(folder, 'keyed.csv')];
  writeFileSync(table, 'barcode\n100001\n9\n');
  const wrong = await mvs(['barcode', '--csv', table, '--out', answers], { MVS_VENDOR_KEY: 'wrong-key' });
  expect([wrong.code, wrong.error]).toEqual([4, expect.stringContaining('status 401')]);
  expect(wrong.error).not.toContain('wrong-key');
  expect(readFileSync(answers, 'utf8').split('\n').slice(1)).toEqual(['']);
  expect((await mvs(['barcode', '--csv', table, '--out', answers])).code).toBe(1);
  expect(readFileSync(answers, 'utf8')).toContain('100001,found,AB1001,,');
});

it.each([403, 429])('%i settles no row', async (status) => {
  const [table, answers] = [join(folder, `${status}.csv`), join(folder, `answers-${status}.csv`)];
  writeFileSync(table, 'barcode\n100001\n');
  const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify({ error: 'not now' })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const refused = await mvs(['barcode', '--csv', table, '--out', answers], { MVS_VENDOR_URL: url });
  server.closeAllConnections();
  server.close();
  expect(refused.code).toBe(4);
  expect(readFileSync(answers, 'utf8').split('\n').slice(1)).toEqual(['']);
  expect((await mvs(['barcode', '--csv', table, '--out', answers])).code).toBe(0);
});

it('asks again for rows that an older release settled wrongly, at the rate given', async () => {
  const [table, answers] = [join(folder, 'again.csv'), join(folder, 'asked-again.csv')];
  writeFileSync(table, 'barcode\n100001\n100002\n');
  writeFileSync(
    answers,
    'asked,status,stone_id,provenance_id,reason\n100001,refused,,,"the vendor refuses it (other, status 401): no"\n100002,found,AB1001.1,,\n',
  );
  expect((await mvs(['barcode', '--csv', table, '--out', answers])).code).toBe(2);
  sandbox.seen.length = 0;
  const again = await mvs(['barcode', '--csv', table, '--out', answers, '--again', 'refused', '--rate', '50']);
  expect([again.code, sandbox.seen]).toEqual([0, ['GET ?barcode=100001']]);
  expect(readFileSync(answers, 'utf8').split('\n').slice(1, 3)).toEqual([
    '100002,found,AB1001.1,,',
    '100001,found,AB1001,,',
  ]);
});

it("the vendor's words cannot steer the terminal", async () => {
  const server = createServer((_request, response) =>
    response.writeHead(404).end(JSON.stringify({ error: 'stone not found \u001b[2J\u009b31m\u202e' })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { out, code } = await mvs(['barcode', '1'], { MVS_VENDOR_URL: url });
  server.close();
  expect(code).toBe(1);
  expect(out).toContain('stone not found \\u001b[2J\\u009b31m\\u202e');
});

it('every command prints through one place, which escapes', () => {
  const folders = ['apps/cli', 'apps/cli/commands', 'lab', 'lab/commands'];
  const direct = folders.flatMap((path) =>
    readdirSync(join(root, path))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .filter((name) =>
        /console[.](log|error|warn)[(]|std(out|err)[.]write/.test(readFileSync(join(root, path, name), 'utf8')),
      )
      .map((name) => `${path}/${name}`),
  );
  // The demonstration of npm start prints its own words, as the program does before its streams are a command's; `mvs json`
  // keeps the colours of its block; a verifier's sentences are escaped as a whole; a page is generated; commander's own.
  expect(direct.sort()).toEqual([
    'apps/cli/commands/audit.ts',
    'apps/cli/commands/json.ts',
    'apps/cli/main.ts',
    'apps/cli/print.ts',
    'apps/cli/run.ts',
    'lab/demo.ts',
  ]);
});
