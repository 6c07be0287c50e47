import { createCompute } from '#science/compute/choose';
import { plainCompute } from '#science/compute/cpu-engines';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import {
  addScans,
  blankScan,
  cosine,
  emptySide,
  encodeSides,
  fusedScore,
  memberCosines,
  placeModel,
  vectorsOf,
} from './encoder.js';
import { FIRST_INPUT, INPUT } from './input.js';
import { loadModel, type Model, modelFile, modelOf, VECTOR } from './model.js';
import { preprocess } from './preprocess.js';
import { readSafetensors, writeSafetensors } from './safetensors.js';
import { modelIn, shippedModelFolders } from './shipped.js';
import { differences, invented, inventedSpectra } from './test/model.js';

const encoders = [invented('one', 1, 24), invented('two', 2, 24)];
const model = modelOf('invented', encoders);
const poolings = [model, modelOf('invented', encoders, { ...INPUT, pooling: 'vectors' })];
const spectra = inventedSpectra(9);

describe('encodeSides', () => {
  it.each(poolings)('gives unit vectors that agree between the engines, pooled by $input.pooling', async (model) => {
    const [simd, plain] = await Promise.all(
      [createCompute('simd'), plainCompute()].map(async (engine) => {
        const placed = await placeModel(model, await engine);
        const sides = await encodeSides(placed, spectra, [6, 1, 2]);
        placed.release();
        return sides.flat();
      }),
    );
    expect(simd).toHaveLength(6);
    for (const [v, vector] of simd.entries()) {
      expect(vector).toHaveLength(VECTOR);
      expect(cosine(vector, vector)).toBeCloseTo(1, 6);
      for (let i = 0; i < VECTOR; i++) expect(Math.abs(vector[i] - plain[v][i])).toBeLessThan(1e-5);
    }
  });

  it.each(poolings)("does not let a side's bits depend on the batch, pooled by $input.pooling", async (model) => {
    const placed = await placeModel(model, await createCompute('simd'));
    const counts = [4, 1, 3, 1];
    const together = await encodeSides(placed, spectra, counts);
    let from = 0;
    for (const [s, count] of counts.entries()) {
      const part = spectra.slice(from * REFERENCE_POINTS, (from + count) * REFERENCE_POINTS);
      from += count;
      const [alone] = await encodeSides(placed, part, [count]);
      const piecemeal = emptySide(placed);
      for (let k = 0; k < count; k++)
        await addScans(placed, part.subarray(k * REFERENCE_POINTS), [{ side: piecemeal, scans: 1 }]);
      const [added] = await vectorsOf(placed, [piecemeal]);
      for (const [e, vector] of together[s].entries()) {
        expect(differences(vector, alone[e])).toBe(0);
        expect(differences(vector, added[e])).toBe(0);
      }
    }
  });

  it('encodes the trimmed mean of the preprocessed scans', async () => {
    const placed = await placeModel(model, await createCompute('simd'));
    const [side] = await encodeSides(placed, spectra, [9]);
    for (const [e, encoder] of placed.encoders.entries()) {
      const { preprocessing } = model.encoders[e];
      const points = preprocessing.scale.length;
      const rows = Array.from({ length: 9 }, (_, k) => {
        const row = new Float32Array(points);
        preprocess(preprocessing, spectra, k * REFERENCE_POINTS, row, 0);
        return row;
      });
      const mean = Float32Array.from({ length: points }, (_, i) => {
        const kept = Float64Array.from(rows, (row) => row[i])
          .sort()
          .subarray(1, -1);
        return kept.reduce((sum, value) => sum + value, 0) / 7;
      });
      const expected = await encoder.apply(mean, 1);
      for (let i = 0; i < VECTOR; i++) expect(side[e][i]).toBeCloseTo(expected[i], 5);
    }
  });

  it('means the vectors of the scans, as former models do', async () => {
    const placed = await placeModel(poolings[1], await createCompute('simd'));
    const [side] = await encodeSides(placed, spectra, [9]);
    const singles = await encodeSides(
      placed,
      spectra,
      Array.from({ length: 9 }, () => 1),
    );
    for (const [e, vector] of side.entries()) {
      const sum = Float64Array.from({ length: VECTOR }, (_, i) => singles.reduce((all, one) => all + one[e][i], 0));
      const length = Math.hypot(...sum);
      for (let i = 0; i < VECTOR; i++) expect(vector[i]).toBeCloseTo(sum[i] / length, 5);
    }
  });

  it('refuses to read beyond the spectra', async () => {
    const placed = await placeModel(model, await createCompute('simd'));
    await expect(encodeSides(placed, spectra, [6, 4])).rejects.toThrow('fewer spectra');
  });
});

describe('sides', () => {
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
    expect(metadata).toMatchObject({
      format: 'mvs-encoders-3',
      sampling: 'masked',
      view_to: '4000',
      pooling: 'scans',
    });
    expect(loadModel(modelFile(model)).input).toEqual(INPUT);
    const changed = (changes: Record<string, string>) => () =>
      loadModel(writeSafetensors({ tensors, metadata: { ...metadata, ...changes } }));
    expect(changed({ sampling: 'guessed' })).toThrow('no sampling');
    for (const view_to of ['3999', '6000', 'NaN', '']) expect(changed({ view_to })).toThrow('no input');
    expect(changed({ view_to: '4010' })).toThrow('not of shape 429');
    expect(changed({ format: 'mvs-encoders-1' })).toThrow('not of shape 671');
    expect(changed({ format: 'mvs-encoders-4' })).toThrow('centre is not of shape 256');
    expect(changed({ format: 'mvs-encoders-5' })).toThrow('not of one of the formats');
    expect(changed({ pooling: 'guessed' })).toThrow('no pooling');
    const second = modelFile(poolings[1]);
    const former = readSafetensors(second).metadata;
    expect(former).toMatchObject({ format: 'mvs-encoders-2', sampling: 'masked', view_to: '4000' });
    expect(former).not.toHaveProperty('pooling');
    expect(loadModel(second)).toMatchObject({ digest: poolings[1].digest, input: { ...INPUT, pooling: 'vectors' } });
  });

  it('of the first format has the first input', () => {
    const former = modelIn(shippedModelFolders().at(-1)!);
    expect([former.digest.slice(0, 16), former.input]).toEqual(['c2f8f6c2dc144a06', FIRST_INPUT]);
    expect(readSafetensors(modelFile(former)).metadata.format).toBe('mvs-encoders-1');
  });

  it('with centres is of the fourth format, and its vectors are those without less the centre, of length one', async () => {
    const placed = async (one: Model) => {
      const place = await placeModel(one, await createCompute('simd'));
      const sides = await encodeSides(place, spectra, [6, 3]);
      place.release();
      return sides;
    };
    for (const without of poolings) {
      const plain = await placed(without);
      const centre = plain[0][0].map((value, i) => (value + plain[1][1][i]) / 2);
      const centred = modelOf(
        'invented',
        without.encoders.map((encoder) => ({ ...encoder, centre })),
        without.input,
      );
      expect(readSafetensors(modelFile(centred)).metadata.format).toBe('mvs-encoders-4');
      expect(loadModel(modelFile(centred))).toMatchObject({ digest: centred.digest, input: without.input });
      const sides = await placed(centred);
      for (const [s, vectors] of sides.entries())
        for (const [e, vector] of vectors.entries()) {
          const moved = plain[s][e].map((value, i) => value - centre[i]);
          const length = Math.hypot(...moved);
          for (let i = 0; i < VECTOR; i++) expect(vector[i]).toBeCloseTo(moved[i] / length, 5);
        }
    }
    const [one, two] = model.encoders;
    expect(() => modelOf('half', [{ ...one, centre: new Float32Array(VECTOR) }, two])).toThrow('or none has');
  });

  it('refuses weights that are not finite', () => {
    const changed = model.encoders.map((encoder) => ({ ...encoder, bias: encoder.bias.slice() }));
    changed[1].bias[0] = Number.NaN;
    expect(() => loadModel(modelFile({ ...model, encoders: changed }))).toThrow('not finite');
  });
});
