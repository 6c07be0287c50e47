import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../test/programs.js';

const MAIN = program('vendor-sandbox');
const folder = mkdtempSync(join(tmpdir(), 'mvs-sandbox-'));
const [none, empty] = ['none.csv', 'empty.csv'].map((name) => join(folder, name));
writeFileSync(none, 'stone\nZZ7.1\n');
writeFileSync(empty, 'barcode,stoneId,provenanceId\n');
let child: ChildProcessWithoutNullStreams;
afterEach(async () => {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill();
  await ended;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the program; resolves with its address, or with its words where it ends. */
function start(environment: Record<string, string>, ...args: string[]): Promise<string> {
  child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, PORT: '0', ...environment } });
  let printed = '';
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        printed += data;
        const address = /serves on (\S+)/.exec(printed)?.[1];
        if (address) resolve(address);
      });
    }
    child.once('close', () => resolve(printed));
  });
}

const ask = async (address: string, query: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${address}?${query}`, { headers: { 'secret-key': 'sandbox', ...headers } });
  return [answer.status, await answer.text()];
};

it.each([
  ['stones.csv', 'barcode,stoneId,provenanceId\n77,ZZ7.1,PR-7\n'],
  ['stones.json', '[{"barcode":"77","stoneId":"ZZ7.1","provenanceId":"PR-7"}]'],
])('serves a catalogue of %s', async (name, text) => {
  writeFileSync(join(folder, name), text);
  const address = await start({ MVS_SANDBOX_CATALOGUE: join(folder, name) });
  expect(await ask(address, 'barcode=77')).toEqual([200, '{"stoneId":"ZZ7.1"}']);
  expect(await ask(address, 'stoneId=ZZ7.1')).toEqual([200, '{"stoneId":"ZZ7.1","provenanceId":"PR-7"}']);
  expect(await ask(address, 'barcode=100001')).toEqual([404, '{"error":"stone not found"}']);
  expect(await ask(address, 'barcode=77', { 'secret-key': 'other' })).toEqual([401, expect.stringContaining('error')]);
});

it('fails as it is configured, for all answers or for one', async () => {
  const address = await start({}, '--fault', 'error-200');
  expect(await ask(address, 'barcode=100001')).toEqual([200, '{"error":"stone not found"}']);
  expect((await ask(address, 'barcode=100001', { 'x-sandbox-fault': '500' }))[0]).toBe(500);
});

it.each([
  ['an unknown fault', {}, ['--fault', 'sulk'], '--fault must be one of '],
  ['an unknown name', { MVS_FOUR_EYE: 'x' }, [], 'is no setting: did you mean MVS_FOUR_EYES?'],
  ['a port that is none', { PORT: 'eighty' }, [], 'PORT must be a whole number'],
  ['a catalogue that is none', { MVS_SANDBOX_CATALOGUE: none }, [], 'each entry needs barcode'],
  ['a catalogue without stones', { MVS_SANDBOX_CATALOGUE: empty }, [], 'it needs stones'],
])('says what is wrong with %s', async (_what, environment, args, words) => {
  expect(await start(environment, ...args)).toContain(words);
  expect(child.exitCode).toBe(3);
});

it.each([
  ['of MVS_VENDOR_KEY where it has none of its own', { MVS_VENDOR_KEY: 'v' }, 'v'],
  ['its own first', { MVS_VENDOR_KEY: 'v', MVS_SANDBOX_KEY: 's' }, 's'],
])('asks for the secret %s', async (_what, environment, secret) => {
  const address = await start(environment);
  expect((await ask(address, 'barcode=100001', { 'secret-key': secret }))[0]).toBe(200);
  expect((await ask(address, 'barcode=100001'))[0]).toBe(401);
});
