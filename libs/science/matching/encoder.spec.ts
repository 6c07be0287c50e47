import { createCompute } from '#science/compute/choose';
import { plainCompute } from '#science/compute/cpu-engines';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { blankScan, cosine, encodeScans, fusedScore, memberCosines, placeModel, poolSide } from './encoder.js';
import { FIRST_INPUT, INPUT } from './input.js';
import { loadModel, modelFile, modelOf, VECTOR } from './model.js';
import { readSafetensors, writeSafetensors } from './safetensors.js';
import { modelIn, shippedModelFolders } from './shipped.js';
import { differences, invented, inventedSpectra } from './test-model.js';

const model = modelOf('invented', [invented('one', 1, 24), invented('two', 2, 24)]);
const spectra = inventedSpectra(9);

describe('encodeScans', () => {
  it('gives unit rows that agree between the engines', async () => {
    const [simd, plain] = await Promise.all(
      [createCompute('simd'), plainCompute()].map(async (engine) => {
        const placed = await placeModel(model, await engine);
        const vectors = await encodeScans(placed, spectra, 9);
        placed.release();
        return vectors;
      }),
    );
    for (const [e, table] of simd.entries()) {
      expect(table).toHaveLength(9 * VECTOR);
      for (let row = 0; row < 9; row++) {
        const [a, b] = [table, plain[e]].map((t) => t.subarray(row * VECTOR, (row + 1) * VECTOR));
        expect(cosine(a, a)).toBeCloseTo(1, 6);
        for (let i = 0; i < VECTOR; i++) expect(Math.abs(a[i] - b[i])).toBeLessThan(1e-5);
      }
    }
  });

  it("does not let a vector's bits depend on the batch", async () => {
    const placed = await placeModel(model, await createCompute('simd'));
    const whole = await encodeScans(placed, spectra, 9);
    for (let row = 0; row < 9; row++) {
      const alone = await encodeScans(placed, spectra.slice(row * REFERENCE_POINTS, (row + 1) * REFERENCE_POINTS), 1);
      for (const [e, vector] of alone.entries()) {
        expect(differences(vector, whole[e].subarray(row * VECTOR, (row + 1) * VECTOR))).toBe(0);
      }
    }
  });

  it('refuses to read beyond the spectra', async () => {
    const placed = await placeModel(model, await createCompute('simd'));
    await expect(encodeScans(placed, spectra, 10)).rejects.toThrow('fewer spectra');
  });
});

describe('sides', () => {
  it('pools to a unit vector, whatever the number of scans', async () => {
    const placed = await placeModel(model, await createCompute('simd'));
    const [vectors] = await encodeScans(placed, spectra, 9);
    const side = poolSide(vectors);
    expect(side).toHaveLength(VECTOR);
    expect(cosine(side, side)).toBeCloseTo(1, 6);
    const one = poolSide(vectors.subarray(0, VECTOR));
    for (let i = 0; i < VECTOR; i++) expect(one[i]).toBeCloseTo(vectors[i], 6);
  });

  it('finds no cosine beyond 1, though rounded vectors are a little longer', () => {
    const long = Float32Array.from({ length: VECTOR }, () => Math.fround(1 / 16 + 2 ** -27));
    let sum = 0;
    for (const value of long) sum += value * value;
    expect(sum).toBeGreaterThan(1);
    const [encoders, sides] = [{ encoders: [{ name: 'one' }] } as never, [long]];
    expect(cosine(long, long)).toBe(1);
    expect(
      cosine(
        long,
        long.map((value) => -value),
      ),
    ).toBe(-1);
    expect(fusedScore(sides, sides)).toBe(1);
    expect(memberCosines(encoders, sides, sides)).toEqual({ one: 1 });
  });

  it('fuses by the mean cosine', () => {
    const axis = (k: number) => Float32Array.from({ length: VECTOR }, (_, i) => Number(i === k));
    expect(fusedScore([axis(0), axis(1)], [axis(0), axis(2)])).toBe(0.5);
  });

  it('finds a blank spectrum', () => {
    expect(blankScan(model, spectra, 9)).toBe(-1);
    const flat = spectra.slice().fill(0.4, 4 * REFERENCE_POINTS, 6 * REFERENCE_POINTS);
    expect(blankScan(model, flat, 9)).toBe(4);
    expect(blankScan(model, flat, 4)).toBe(-1);
  });
});

describe('model file', () => {
  it('reads back to the same digest and weights', () => {
    const read = loadModel(modelFile(model));
    expect(read.digest).toBe(model.digest);
    expect(read.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(differences(read.encoders[1].linear, model.encoders[1].linear)).toBe(0);
  });

  it('has another digest for any other weight or name', () => {
    const changed = model.encoders.map((encoder) => ({ ...encoder, bias: encoder.bias.slice() }));
    changed[0].bias[3] += 1e-6;
    expect(modelOf('invented', changed).digest).not.toBe(model.digest);
    expect(modelOf('other', model.encoders).digest).not.toBe(model.digest);
    expect(modelOf('invented', model.encoders, { ...INPUT, sampling: 'bridged' }).digest).not.toBe(model.digest);
    // The same number of points.
    expect(modelOf('invented', model.encoders, { ...INPUT, upTo: 4001 }).digest).not.toBe(model.digest);
  });

  it('says its sampling and its input, and is refused where it says none that is known', () => {
    const { tensors, metadata } = readSafetensors(modelFile(model));
    expect(metadata).toMatchObject({ format: 'mvs-encoders-2', sampling: 'masked', view_to: '4000' });
    expect(loadModel(modelFile(model)).input).toEqual(INPUT);
    const changed = (changes: Record<string, string>) => () =>
      loadModel(writeSafetensors({ tensors, metadata: { ...metadata, ...changes } }));
    expect(changed({ sampling: 'guessed' })).toThrow('no sampling');
    for (const view_to of ['3999', '6000', 'NaN', '']) expect(changed({ view_to })).toThrow('no input');
    expect(changed({ view_to: '4010' })).toThrow('not of shape 429');
    expect(changed({ format: 'mvs-encoders-1' })).toThrow('not of shape 671');
    expect(changed({ format: 'mvs-encoders-3' })).toThrow('not of the format');
  });

  it('of the first format has the first input', () => {
    const former = modelIn(shippedModelFolders().at(-1)!);
    expect([former.digest.slice(0, 16), former.input]).toEqual(['c2f8f6c2dc144a06', FIRST_INPUT]);
    expect(readSafetensors(modelFile(former)).metadata.format).toBe('mvs-encoders-1');
  });

  it('refuses weights that are not finite', () => {
    const changed = model.encoders.map((encoder) => ({ ...encoder, bias: encoder.bias.slice() }));
    changed[1].bias[0] = Number.NaN;
    expect(() => loadModel(modelFile({ ...model, encoders: changed }))).toThrow('not finite');
  });
});
