/**
 * The clients as an integrator gets them: packed, installed into an empty project, compiled, run in Node, in a browser and
 * in Python, against the real service and the vendor's stand-in.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { minify } from '@swc/core';
import pino from 'pino';
import { readConfiguration } from '#config/environment';
import { POPULATIONS, simulateStone, stoneFiles } from '#simulator';
import { Client } from '../../apps/server/test/client.js';
import { sentLot, Trader } from '../../apps/server/test/lots.js';
import { SANDBOX_SECRET, Sandbox } from '../../tools/vendor-sandbox/sandbox.js';
import { browserIsHere, openInBrowser } from '../browser.js';
import { startBundled } from '../programs.js';
import { installPackage, installWheel, pipIsHere, python, root } from './packed.js';

const folder = mkdtempSync(join(tmpdir(), 'mvs-client-'));
const project = join(folder, 'project');
const scans = join(folder, 'scans');
const installed = join(project, 'node_modules/@match-verification/client');
const lot = join(folder, 'lot');
const closing: (() => Promise<unknown>)[] = [];
const operator = new Client();
let sandbox: Sandbox;
let page: string;
let answerPage: RequestListener;
let files: { rough: string[]; polish: string[] };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  mkdirSync(scans);
  installPackage(folder);

  const stone = simulateStone(POPULATIONS.calibration, 5, 0);
  const written = stoneFiles(stone, 'csv').map(({ name, data }) => {
    writeFileSync(join(scans, name), data);
    return join(scans, name);
  });
  files = {
    rough: written.filter((path) => path.includes('rough')),
    polish: written.filter((path) => path.includes('polish')),
  };

  const sent = sentLot(0, { stones: 10 });
  for (const [part, made] of Object.entries({ enrol: sent.enrol, back: sent.back })) {
    mkdirSync(join(lot, part), { recursive: true });
    for (const { name, data } of made) writeFileSync(join(lot, part, name), data);
  }

  page = await serve((request, response) => answerPage(request, response));
  sandbox = await Sandbox.start();
  closing.push(() => sandbox.close());
  const service = await startBundled({
    configuration: readConfiguration({
      PORT: '0',
      MVS_DATA_DIR: join(folder, 'var'),
      MVS_THREADS: '1',
      MVS_CORS_ORIGINS: page,
    }),
    logger: pino({ level: 'silent' }),
    version: 'client',
    engine: 'simd',
  });
  closing.push(() => service.close());
  operator.address = service.address;
  operator.operatorKey = service.secrets!.operatorKey;
  operator.apiKey = await operator.createKey('integrator');
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** Runs a program in the empty project. */
const run = async (file: string, environment: Record<string, string> = {}) => (await runBoth([file], environment)).out;
const runBoth = ([file, ...args]: string[], environment: Record<string, string>) =>
  new Promise<{ out: string; err: string }>((resolve, reject) => {
    const env = {
      PATH: process.env.PATH,
      MATCH_URL: operator.address,
      MATCH_API_KEY: operator.apiKey,
      OPERATOR_KEY: operator.operatorKey,
      VENDOR_URL: sandbox.url,
      VENDOR_KEY: SANDBOX_SECRET,
      ROUGH_FILES: files.rough.join(','),
      POLISH_FILES: files.polish.join(','),
      ...environment,
    };
    execFile(process.execPath, [join(project, file), ...args], { cwd: project, env }, (error, out, err) =>
      error ? reject(new Error(err)) : resolve({ out, err }),
    );
  });

it('packs its build and its README, and no dependency', () => {
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'examples', 'package.json']);
  expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies).toBeUndefined();
});

it('is 23 kB at most, minified', async () => {
  let bytes = 0;
  for (const name of readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js') || name.startsWith('cjs')) continue;
    const { code } = await minify(readFileSync(join(installed, 'dist', name), 'utf8'), { module: true });
    bytes += code.length;
  }
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThanOrEqual(23_000);
});

it('compiles under strict TypeScript', () => {
  writeFileSync(
    join(project, 'strict.ts'),
    `import { decide, MatchVerification, ServiceError, type Verification } from '@match-verification/client';
const service = new MatchVerification({ baseUrl: 'https://match.example', apiKey: 'k' });
export async function check(rough: File[], polish: File[]): Promise<'accept' | 'review' | 'reject'> {
  try {
    const result: Verification = await service.verify({ rough, polish, rejectTarget: 0.98 });
    const score: number = result.fused_score;
    // @ts-expect-error a verdict is one of two words
    const wrong: 'PERHAPS' = result.verdict;
    return score > 2 || wrong ? 'reject' : decide(result).action;
  } catch (error) {
    if (error instanceof ServiceError) throw new Error(error.requestId ?? error.detail);
    throw error;
  }
}
`,
  );
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', '--noEmit'];
  execFileSync(join(root, 'node_modules/.bin/tsc'), [...options, '--types', '', 'strict.ts'], { cwd: project });
});

it('is loaded and compiled as CommonJS too', async () => {
  const use = `const { decide, MatchVerification } = require('@match-verification/client');
const service = new MatchVerification({ baseUrl: process.env.MATCH_URL });
service.summary().then(({ service }) => console.log(service, decide({ verdict: 'MATCH', p_match_5050: 1 }).action));
`;
  writeFileSync(join(project, 'common.cjs'), use);
  expect(await run('common.cjs')).toBe('match-verification accept\n');
  const typed = `import { MatchVerification } from '@match-verification/client';
export const service: MatchVerification = new MatchVerification({ baseUrl: 'https://match.example' });
`;
  writeFileSync(join(project, 'common.cts'), typed);
  const options = ['--strict', '--module', 'node16', '--target', 'es2022', '--lib', 'es2023,dom', '--noEmit'];
  execFileSync(join(root, 'node_modules/.bin/tsc'), [...options, '--types', '', 'common.cts'], { cwd: project });
});

describe('in Node', () => {
  it('runs the twenty lines: barcodes, a claim from files, the decision, a label', async () => {
    const example = readFileSync(join(root, 'packages/client/examples/first-claim.mjs'), 'utf8');
    writeFileSync(join(project, 'first-claim.mjs'), example);
    const out = await run('first-claim.mjs');
    expect(out).toMatch(/^AB1001\.1 from AB1001: MATCH, accept, p_real (0\.9\d\d|1\.000)\n/);
    expect(out).toContain('"accepted":1');
  });

  it('goes from a folder of files to a table of verdicts, with progress', async () => {
    const name = 'folder-to-table.mjs';
    writeFileSync(join(project, name), readFileSync(join(root, 'packages/client/examples', name), 'utf8'));
    const [stone] = readdirSync(scans)[0].split('_');
    writeFileSync(join(folder, 'truth.csv'), `stone,expected\n${stone},match\n`);
    const env = { MATCH_URL: operator.address, MATCH_API_KEY: operator.apiKey };
    const { out, err } = await runBoth([name, scans, join(folder, 'truth.csv')], env);
    const [head, row, ...more] = out.trim().split('\n');
    expect(head.split(',').slice(0, 3)).toEqual(['stone', 'verdict', 'action']);
    expect([row, more]).toEqual([expect.stringMatching(/,MATCH,accept,0\.\d+,/), []]);
    expect(err).toMatch(/^1\/1 \S+ 100 % sent\nlabels: \{/);
  });

  it('distinguishes a vendor that fails from a service that fails', async () => {
    sandbox.fault = 'error-404';
    await expect(run('first-claim.mjs')).rejects.toThrow('barcode 100001: stone not found');
    sandbox.fault = undefined;
    await expect(run('first-claim.mjs', { MATCH_API_KEY: 'mvs_live_unknown' })).rejects.toThrow('Authentication');
  });

  it('speaks every part of the contract', async () => {
    writeFileSync(
      join(project, 'parts.mjs'),
      `import { Conflict, MatchVerification, NotFound } from '@match-verification/client';
const { MATCH_URL: baseUrl, MATCH_API_KEY: apiKey, OPERATOR_KEY: operatorKey, ROUGH_FILES, POLISH_FILES } = process.env;
const service = new MatchVerification({ baseUrl, apiKey, operatorKey });
const claim = { rough: ROUGH_FILES.split(','), polish: POLISH_FILES.split(',') };
const first = await service.verify({ ...claim, rejectTarget: 0.96 });
const again = await service.verify({ ...claim, rejectTarget: 0.96 });
const replayed = await service.verify({ ...claim, replay: true });
const labels = Array.from({ length: 5001 }, (_, i) => ({ claim_id: i === 0 ? first.claim_id : 'unknown' + i, expected: 'match' }));
const counts = [];
for await (const part of service.label(labels)) counts.push(part.counts);
const created = await service.createKey({ name: 'second' });
const twice = await service.createKey({ name: 'second' }).catch((error) => error instanceof Conflict);
const names = [];
for await (const key of service.keys({ limit: 1 })) names.push(key.name);
const revoked = await service.revokeKey(created.key.slice(0, 20));
const claims = [];
for await (const record of service.claims({ verdict: 'MATCH' })) claims.push(record.claim_id);
const missing = await service.claim('nowhere').catch((error) => error instanceof NotFound && error.requestId);
const { rungs } = await service.calibration(claims.length > 0 ? (await service.claim(first.claim_id)).population : '');
console.log(JSON.stringify({
  same: first.claim_id === again.claim_id, other: replayed.claim_id !== first.claim_id, counts, twice, names: names.sort(),
  revoked: revoked.status, listed: claims.includes(first.claim_id), missing: Boolean(missing), rungs: rungs.length,
  service: (await service.summary()).service,
}));
`,
    );
    expect(JSON.parse(await run('parts.mjs'))).toEqual({
      same: true,
      other: true,
      counts: [expect.objectContaining({ accepted: 1, rejected: 4999 }), expect.objectContaining({ rejected: 1 })],
      twice: true,
      names: ['integrator', 'second'],
      revoked: 'revoked',
      listed: true,
      missing: true,
      rungs: 10,
      service: 'match-verification',
    });
  });

  it('enrols, checks and rehearses a lot', async () => {
    writeFileSync(
      join(project, 'lots.mjs'),
      `import { readdirSync } from 'node:fs';
import { BadInput, CredentialRefused, MatchVerification } from '@match-verification/client';
const { MATCH_URL: baseUrl, OPERATOR_KEY: operatorKey, LOT } = process.env;
const operator = new MatchVerification({ baseUrl, operatorKey });
const { token } = await operator.createWorkspace('trader');
const trader = new MatchVerification({ baseUrl, workspaceToken: token });
const filesIn = (part) => readdirSync(LOT + '/' + part).map((name) => LOT + '/' + part + '/' + name);
const lot = await trader.enrolLot('spring', { files: filesIn('enrol'), sessionType: 'shaken' });
const again = await trader.enrolLot('spring', { files: filesIn('enrol') });
const check = await trader.checkLot(lot.lot_id, { files: filesIn('back'), sessionType: 'shaken' });
const rehearsal = await trader.rehearseLot(lot.lot_id, { seed: 3, draws: 10 });
const names = [];
for await (const { name } of trader.lots({ limit: 1 })) names.push(name);
const { check_count } = await trader.lot(lot.lot_id);
const workspaces = [];
for await (const { name } of operator.workspaces()) workspaces.push(name);
const { status } = await operator.revokeWorkspace(token.slice(0, -44));
console.log(JSON.stringify({
  stones: lot.stones.length, same: again.lot_id === lot.lot_id, counts: check.counts, offered: rehearsal.offered, names, check_count,
  workspaces, status, version: await trader.lotBounds().catch((error) => error instanceof CredentialRefused),
  unsent: await operator.lotBounds().catch((error) => error instanceof BadInput),
}));
`,
    );
    expect(JSON.parse(await run('lots.mjs', { LOT: lot }))).toEqual({
      stones: 10,
      same: true,
      counts: expect.objectContaining({ returned: 10 }),
      offered: 20,
      names: ['spring'],
      check_count: 1,
      workspaces: ['trader'],
      status: 'revoked',
      version: true,
      unsent: true,
    });
  });
});

(pipIsHere() ? describe : describe.skip)("in Python (Debian's python3 with pip)", () => {
  let target: string;
  let token = '';
  beforeAll(() => {
    target = installWheel(folder);
  });

  const runPython = (...args: string[]) =>
    new Promise<string>((resolve, reject) => {
      const env = {
        PATH: process.env.PATH,
        PYTHONPATH: target,
        MATCH_URL: operator.address,
        MATCH_API_KEY: operator.apiKey,
        SCANS: scans,
        LOT: lot,
        MATCH_TOKEN: token,
        MATCH_OPERATOR_KEY: operator.operatorKey,
        VENDOR_URL: sandbox.url,
        VENDOR_KEY: SANDBOX_SECRET,
        ROUGH_FILES: files.rough.join(','),
        POLISH_FILES: files.polish.join(','),
      };
      execFile(python, args, { cwd: folder, env }, (error, out, stderr) =>
        error ? reject(new Error(stderr)) : resolve(out + stderr),
      );
    });

  it('passes its own tests, those against the service too', async () => {
    operator.apiKey = await operator.createKey('python');
    token = (await Trader.in(operator, 'python')).token;
    const out = await runPython(join(root, 'clients/python/test_client.py'));
    expect(out).toMatch(/\nOK\n/);
  });

  it('runs the same twenty lines', async () => {
    operator.apiKey = await operator.createKey('python twenty lines');
    const out = await runPython('-m', 'match_verification.examples.first_claim');
    expect(out).toMatch(/^AB1001\.1 from AB1001: MATCH, accept, p_real (0\.9\d\d|1\.000)\n/);
    expect(out).toContain('"accepted": 1');
  });

  it('goes from a folder of files to a table of verdicts', async () => {
    const out = await runPython('-m', 'match_verification.examples.folder_to_table', scans);
    const [head, row, ...more] = out.trim().split('\r\n');
    expect(head.split(',').slice(0, 3)).toEqual(['stone', 'verdict', 'action']);
    expect(row).toMatch(/,MATCH,accept,0\.\d+,/);
    // Progress, on the standard error.
    expect(more).toEqual([expect.stringMatching(/^1\/1 /)]);
  });
});

(browserIsHere ? it : it.skip)('is the day of a caller, in a browser (Chromium)', async () => {
  const script = `import { decide, MatchVerification, verifyReceipt } from './client/index.js';
const report = (outcome) => fetch('/outcome', { method: 'POST', body: JSON.stringify(outcome) });
try {
  const { address, apiKey, operatorKey, rough, polish } = await (await fetch('/claim')).json();
  const service = new MatchVerification({ baseUrl: address, apiKey });
  const operator = new MatchVerification({ baseUrl: address, operatorKey });
  const { name } = await operator.operator();
  const opened = ({ name, text }) => new File([text], name);
  const result = await service.verify({ rough: rough.map(opened), polish: polish.map(opened) });
  const label = { claim_id: result.claim_id, expected: 'match' };
  const labelled = [];
  for await (const { counts } of service.label([label])) labelled.push(counts.accepted + counts.duplicate);
  const refused = await service.verify({ rough: ['a/path'], polish: ['a/path'] }).catch((error) => error.name);
  const keys = (await service.summary()).receipt_keys;
  const receipt = await verifyReceipt(result.receipt, keys);
  const [head, payload, signature] = result.receipt.split('.');
  const other = [head, payload.replace(/^(.)./, '$1' + (payload[1] === 'A' ? 'B' : 'A')), signature].join('.');
  const changed = await verifyReceipt(other, keys).catch((error) => error.name);
  await operator.reviewClaim(result.claim_id, { note: 'another stone by its label', outcome: 'wrong' });
  const own = await service.ownClaim(result.claim_id);
  const listed = [];
  for await (const { claim_id } of service.ownClaims({ since: '2000-01-01T00:00:00Z' })) listed.push(claim_id);
  await report({
    operator: name, verdict: result.verdict, action: decide(result).action, labelled, refused, changed,
    receipt: receipt.claim_id === result.claim_id && receipt.verdict, same: own.answer.receipt === result.receipt,
    label: own.label.expected, review: own.review.outcome, listed: listed.includes(result.claim_id),
  });
} catch (error) {
  await report({ error: String(error) });
}`;
  const read = (paths: string[]) =>
    paths.map((name) => ({ name: name.split('/').pop(), text: readFileSync(name, 'utf8') }));
  const { address, apiKey, operatorKey } = operator;
  const claim = { address, apiKey, operatorKey, rough: read(files.rough), polish: read(files.polish) };
  const outcome = new Promise<unknown>((resolve) => {
    answerPage = (request, response) => {
      const path = request.url ?? '/';
      const isScript = path.endsWith('.js');
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      if (path === '/outcome') {
        response.end();
        void json(request).then(resolve);
      } else if (path === '/claim') response.end(JSON.stringify(claim));
      else if (path === '/script.js') response.end(script);
      else if (isScript) response.end(readFileSync(join(installed, 'dist', path.slice('/client/'.length))));
      else response.end('<!doctype html><title>claim</title><script type="module" src="/script.js"></script>');
    };
  });
  const closeBrowser = openInBrowser(`${page}/`, join(folder, 'browser'));
  try {
    expect(await outcome).toEqual({
      operator: 'operator',
      verdict: 'MATCH',
      action: 'accept',
      labelled: [1],
      refused: 'BadInput',
      receipt: 'MATCH',
      changed: 'InvalidReceipt',
      same: true,
      label: 'match',
      review: 'wrong',
      listed: true,
    });
  } finally {
    await closeBrowser();
  }
});
