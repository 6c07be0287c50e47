/**
 * Makes the weights of models/match-2 again: `node lab/training/make-match-2.mjs [--out var/match-2]`, in a clone with its
 * history. Each of its two trainings runs in the code that it ran in; then the three encoders are joined, and compared with
 * the shipped ones. `--share 64` trains on a 64th of the stones for two epochs: whether the way still goes, no model.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { prepare } from '../../scripts/prepare.mjs';

/** As models/match-2/card.json says; `until`: killed when each encoder had ended that epoch, to be cut short. */
const TRAININGS = [
  {
    commit: '251f01c',
    stones: 43_008,
    runs: [{ epochs: 40, until: 9 }, { epochs: 26, until: 11 }, { epochs: 20 }],
    taken: { first: 'first', second: 'second' },
  },
  { commit: 'ae32956', stones: 32_768, runs: [{ epochs: 16 }], taken: { first: 'first_varied' } },
];

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'var/match-2' }, share: { type: 'string' } },
});
const out = resolve(values.out);
const share = Number(values.share ?? 1);
const ROOT = resolve(import.meta.dirname, '../..');
const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' });

prepare();
const { loadModel, modelFile, modelOf } = await import('../../dist/libs/science/matching/model.js');
const { readSafetensors } = await import('../../dist/libs/science/matching/safetensors.js');
mkdirSync(out, { recursive: true });

const epochIn = (file) => (existsSync(file) ? Number(readSafetensors(readFileSync(file)).metadata.epoch) : 0);

async function train({ commit, stones, runs }) {
  const clone = join(out, commit);
  if (!existsSync(clone)) {
    run('git', ['clone', '--quiet', '--no-checkout', ROOT, clone]);
    run('git', ['checkout', '--quiet', '--detach', commit], clone);
  }
  if (!existsSync(join(clone, 'node_modules'))) run('npm', ['ci'], clone);
  run('npm', ['run', 'build'], clone);
  const folder = join(clone, 'var', `model-${share}`);
  const state = (encoder) => join(folder, 'checkpoint', `training-${encoder}.safetensors`);
  for (const { epochs, until } of share === 1 ? runs : [{ epochs: 2 }]) {
    if (existsSync(join(folder, 'model.safetensors'))) break;
    const options = { out: folder, name: 'worlds', stones: stones / share, epochs, seed: 1, 'test-stones': 0 };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const training = spawn(process.execPath, ['dist/programs/mvs.js', 'train', ...args], {
      cwd: clone,
      stdio: 'inherit',
    });
    const ended = once(training, 'exit');
    // A run that was cut before goes on from its last epoch.
    while (until !== undefined && training.exitCode === null) {
      if (Math.min(...['first', 'second'].map(state).map(epochIn)) >= until) training.kill('SIGKILL');
      await Promise.race([ended, sleep(200)]);
      if (training.signalCode !== null) break;
    }
    const [status] = await ended;
    if (until === undefined && status !== 0) throw new Error(`the training at ${commit} ended with ${status}`);
  }
  return loadModel(readFileSync(join(folder, 'model.safetensors')));
}

const encoders = [];
for (const training of TRAININGS) {
  const model = await train(training);
  for (const [name, as] of Object.entries(training.taken))
    encoders.push({ ...model.encoders.find((encoder) => encoder.name === name), name: as });
}
const made = modelFile(modelOf('worlds', encoders, { sampling: 'masked', upTo: 4000, pooling: 'vectors' }));
writeFileSync(join(out, 'model.safetensors'), made);

/** The largest difference of a tensor's numbers from the shipped ones. */
const shipped = readFileSync(new URL('../../models/match-2/model.safetensors', import.meta.url));
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
console.log(`made    ${digest(made)}\nshipped ${digest(shipped)}`);
const [a, b] = [made, shipped].map((bytes) => readSafetensors(bytes).tensors);
for (const [name, { data }] of b) {
  const other = a.get(name).data;
  const furthest = data.reduce((most, x, i) => Math.max(most, Math.abs(x - other[i])), 0);
  console.log(`${name}: ${furthest === 0 ? 'the same' : `differs by up to ${furthest.toPrecision(2)}`}`);
}
