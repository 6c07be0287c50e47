import { SimdKernel } from '#science/compute/simd-kernel';
import { differences, invented, inventedSpectra } from '#science/matching/test/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { EncoderTraining } from './encoder-training.js';
import type { Products } from './network.js';
import { encoderSettings, planDigest } from './plan.js';
import type { SpectraTable } from './settings.js';
import { readState, stateFile } from './state-file.js';

const kernel = SimdKernel.create() as Products;

/** Stones whose scans differ by path and noise only. */
function tableOf(stones: number): SpectraTable {
  const base = inventedSpectra(stones, 3);
  const spectra = new Float32Array(stones * 4 * REFERENCE_POINTS);
  for (let scan = 0; scan < stones * 4; scan++) {
    const at = Math.floor(scan / 4) * REFERENCE_POINTS;
    for (let i = 0; i < REFERENCE_POINTS; i++) {
      const noise = 1e-3 * Math.sin(scan * 12.9898 + i * i);
      spectra[scan * REFERENCE_POINTS + i] = base[at + i] * (0.8 + (scan % 4) / 5) + noise;
    }
  }
  return { spectra, stones, rough: 3, polish: 1 };
}

const [settings] = encoderSettings({ epochs: 4, hidden: 12, batch: 16, rate: 3e-3, grouped: false });
const from = { encoder: invented('first', 1, 12) };
const start = (table = tableOf(48)) => EncoderTraining.start(kernel, settings, table, from);

describe('EncoderTraining', () => {
  it('lowers the loss', () => {
    const training = start();
    const losses = Array.from({ length: 4 }, () => training.runEpoch());
    expect(losses[3]).toBeLessThan(0.8 * losses[0]);
  });

  it('goes on after a kill as if nothing had been', () => {
    const whole = start();
    for (let epoch = 0; epoch < 4; epoch++) whole.runEpoch();
    const killed = start();
    killed.runEpoch();
    killed.runEpoch();
    const state = readState(stateFile(killed.state(), 'plan'), 'plan');
    const resumed = EncoderTraining.start(kernel, settings, tableOf(48), { ...from, state });
    expect(resumed.epoch).toBe(2);
    resumed.runEpoch();
    resumed.runEpoch();
    expect(differences(resumed.state().parameters, whole.state().parameters)).toBe(0);
    expect(differences(resumed.encoder().output, whole.encoder().output)).toBe(0);
  });

  it('gives the encoder back that it started from, while untrained', () => {
    const encoder = start().encoder();
    for (const part of ['linear', 'hidden', 'output', 'bias', 'hiddenBias'] as const) {
      expect(differences(encoder[part], from.encoder[part])).toBe(0);
    }
  });

  it('leaves out records known to be wrong', () => {
    const table = tableOf(48);
    const marked = { ...table, wrong: new Uint8Array(48) };
    for (let stone = 40; stone < 48; stone++) marked.wrong[stone] = 1;
    const [all, some, cut] = [start(table), start(marked), start({ ...tableOf(40) })];
    for (const training of [all, some, cut]) training.runEpoch();
    expect(differences(some.state().parameters, cut.state().parameters)).toBe(0);
    expect(differences(some.state().parameters, all.state().parameters)).toBeGreaterThan(0);
  });

  it('never mixes groups in a batch where the settings say so', () => {
    // Two groups that hold the same stones: mixed, every stone meets its double and looks like it.
    const half = tableOf(24);
    const spectra = new Float32Array(half.spectra.length * 2);
    spectra.set(half.spectra);
    spectra.set(half.spectra, half.spectra.length);
    const table = {
      ...half,
      spectra,
      stones: 48,
      groups: Int32Array.from({ length: 48 }, (_, i) => Math.floor(i / 24)),
    };
    const run = (grouped: boolean) => {
      const training = EncoderTraining.start(kernel, { ...settings, batch: 48, epochs: 10, grouped }, table, from);
      let loss = 0;
      for (let epoch = 0; epoch < 10; epoch++) loss = training.runEpoch();
      return loss;
    };
    expect(run(true)).toBeLessThan(0.6 * Math.LN2);
    expect(run(false)).toBeGreaterThan(0.9 * Math.LN2);
  });
});

describe('plan digest', () => {
  it('distinguishes plans, but not by their length', () => {
    const plan = (epochs: number, seed: number) => ({ encoders: encoderSettings({ epochs, seed }) });
    expect(planDigest(plan(40, 1))).toBe(planDigest(plan(26, 1)));
    expect(planDigest(plan(40, 1))).not.toBe(planDigest(plan(40, 2)));
  });
});

describe('state file', () => {
  it('is not taken for another plan, and bytes that are none are refused', () => {
    const file = stateFile(start().state(), 'one');
    expect(readState(file, 'two')).toBeUndefined();
    expect(() => readState(file.subarray(0, 1000), 'one')).toThrow('does not fill its place');
  });
});
