import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadModel, shippedModel } from '#matching';

const MAIN = fileURLToPath(new URL('../../apps/cli/main.js', import.meta.url));
const mvs = (...args: string[]) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, out, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, error: stderr });
    });
  });

describe('mvs train --pairs', () => {
  let folder: string;
  const at = (...parts: string[]) => join(folder, ...parts);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-train-'));
    const population = ['--population', 'client-b', '--seed', '41', '--rough', '2'];
    await mvs('simulate', '--out', at('few'), '--stones', '12', ...population);
    await mvs('simulate', '--out', at('enough'), '--stones', '104', ...population);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('refuses fewer than 100 stones and says why', async () => {
    const { code, error } = await mvs('train', '--pairs', at('few'), '--out', at('none'));
    expect(code).toBe(2);
    expect(error).toMatch(/holds 12 usable pairs of stones: .* fewer than 100 /);
  });

  it('compares with the shipped model on held-out stones and keeps the better one', async () => {
    const options = ['--pairs', at('enough'), '--from', 'shipped', '--epochs', '1', '--out', at('own')];
    const { code, out, error } = await mvs('train', ...options);
    expect(code).toBe(0);
    expect(error).toMatch(/epoch 1: loss [\d.]+, held-out accept [\d.]+% at 0.98/);
    expect(out).toMatch(/Held out 26 of 104 stones/);
    const card = JSON.parse(await readFile(at('own', 'card.json'), 'utf8'));
    const kept = loadModel(await readFile(at('own', 'model.safetensors')));
    expect(card.digest).toBe(kept.digest);
    expect(card.comparison.ownIsBetter).toBe(kept.digest !== shippedModel().digest);
    expect(out).toContain(card.comparison.ownIsBetter ? 'The own model is better' : 'the shipped model is kept');
  });

  it.each([
    ['--from without pairs', ['--from', 'shipped']],
    ['a folder that holds no model', ['--pairs', 'enough', '--from', 'few']],
    ['a number that is none', ['--stones', 'many']],
  ])('knows wrong usage: %s', async (_, options) => {
    const paths = options.map((option) => (['few', 'enough'].includes(option) ? at(option) : option));
    expect((await mvs('train', ...paths)).code).toBe(3);
  });
});
