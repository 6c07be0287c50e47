import {
  type CalibrationAsset,
  loadAsset,
  REVIEW_FROM,
  type ShippedRung,
  shippedEntry,
} from '#science/calibration/asset';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import { uniform } from '#science/numerics/random';
import { type Evidence, makeAsset } from './make-asset.js';
import { dot } from './test/dot.js';

const MODEL = 'a'.repeat(64);

/** Stones with random unit vectors in eight dimensions, the polish near its rough. */
function evidence(stones: number, seed: number): Evidence {
  const next = uniform(seed);
  const random = () => next() - 0.5;
  const width = 8;
  const unit = (values: number[]) => {
    const length = Math.hypot(...values);
    return values.map((value) => value / length);
  };
  const rough: number[] = [];
  const polish: number[] = [];
  for (let i = 0; i < stones; i++) {
    const vector = unit(Array.from({ length: width }, random));
    rough.push(...vector);
    polish.push(...unit(vector.map((value) => value + 0.3 * random())));
  }
  const gauge = () => Array.from({ length: stones }, (_, i) => i / stones);
  const side = () => ({ sharpness: gauge(), detail_residual: gauge(), locally_polynomial: gauge() });
  return {
    source: { population: 'test', seed, first_stone: 0, stones, refused: 0 },
    bank: {
      stones: Array.from({ length: stones }, (_, i) => ({ roughDigest: `r${i}`, polishDigest: `p${i}` })),
      encoders: [{ rough: Float32Array.from(rough), polish: Float32Array.from(polish), width }],
    },
    gauges: { rough: side(), polish: side() },
  };
}

const input = () => ({
  evidence: evidence(300, 1),
  heldOut: evidence(200, 2),
  byScans: [],
  worlds: [3, 4, 5].map((seed) => evidence(100, seed)),
});

describe('the calibration asset', () => {
  let asset: CalibrationAsset;
  beforeAll(async () => {
    asset = await makeAsset(MODEL, input(), dot);
  });

  it('has ten rungs that rise, reject what they say and confirm less and less', () => {
    expect(asset.rungs.map((rung) => rung.reject_target)).toEqual([...REJECT_TARGETS]);
    asset.rungs.forEach((rung, i) => {
      expect([rung.claims, rung.wrong_pairs]).toEqual([300, 3 * 100 * 99]);
      expect(rung.wrong_pairs_accepted).toBeLessThanOrEqual((1 - rung.reject_target) * rung.wrong_pairs + 1e-6);
      expect(rung.threshold_interval[0]).toBeLessThanOrEqual(rung.threshold);
      expect(rung.threshold_interval[1]).toBeGreaterThanOrEqual(rung.threshold);
      expect(rung.expected_genuine_accept).toBe(rung.genuine_confirmed);
      if (i > 0) {
        expect(rung.threshold).toBeGreaterThan(asset.rungs[i - 1].threshold);
        expect(rung.genuine_confirmed).toBeLessThanOrEqual(asset.rungs[i - 1].genuine_confirmed);
      }
    });
  });

  it('does not let one easy world hide that wrong claims pass in the others', async () => {
    // Nine worlds whose stones lie close together, and many whose stones do not: all together hide the nine of 27.
    const near = (stones: number, seed: number): Evidence => {
      const made = evidence(stones, seed);
      for (const { rough, polish, width } of made.bank.encoders)
        for (const side of [rough, polish])
          for (let row = 0; row < side.length; row += width) {
            const vector = side.subarray(row, row + width);
            vector[0] += 2;
            const length = Math.hypot(...vector);
            for (let i = 0; i < width; i++) vector[i] /= length;
          }
      return made;
    };
    const worlds = (close: number) => [
      ...Array.from({ length: close }, (_, i) => near(40, 100 + i)),
      ...Array.from({ length: 27 - close }, (_, i) => evidence(80, 200 + i)),
    ];
    const rungs = async (close: number) => (await makeAsset(MODEL, { ...input(), worlds: worlds(close) }, dot)).rungs;
    const [few, many] = [await rungs(2), await rungs(9)];
    const pooledOnly = (rung: ShippedRung) => rung.wrong_pairs_accepted / rung.wrong_pairs / (1 - rung.reject_target);
    // Two of 27 may differ; with nine the threshold rises above what all together ask for.
    expect(pooledOnly(few[0])).toBeCloseTo(1, 2);
    expect(pooledOnly(many[0])).toBeLessThan(0.9);
    expect(many[0].wrong_accepted_in_worst_tenth).toBeLessThanOrEqual(0.2 + 1e-6);
  });

  it('holds on stones that had no part in it', () => {
    expect(asset.check.expected_calibration_error).toBeLessThan(0.03);
    for (const rung of asset.check.rungs) {
      const [low, high] = rung.wrong_accepted_interval;
      // Twice the half-width: the ladder's own stones vary as well.
      const half = high - low;
      expect(Math.abs(rung.wrong_accepted - (1 - rung.reject_target))).toBeLessThan(half);
      expect(rung.genuine_missed).toBe(Math.round((1 - rung.genuine_confirmed) * 200));
      expect(rung.missed_in_review).toBeLessThanOrEqual(rung.genuine_missed!);
      // The curve rises: where not even the threshold is in the review band, nothing below it is.
      if (rung.p_at_threshold! < REVIEW_FROM) expect(rung.missed_in_review).toBe(0);
    }
  });

  it('keeps baselines of 101 ascending percentiles', () => {
    for (const list of [asset.baseline.genuine, asset.baseline.wrong, asset.gauge_bands.rough.sharpness]) {
      expect(list).toHaveLength(101);
      expect([...list].sort((a, b) => a - b)).toEqual(list);
    }
  });

  it('is made alike from the same evidence, and comes back as it was written', async () => {
    expect(await makeAsset(MODEL, input(), dot)).toEqual(asset);
    expect(loadAsset(JSON.stringify(asset), MODEL)).toEqual(asset);
  });

  it('gives the shipped entry of a rung', () => {
    const entry = shippedEntry(asset, 0.98);
    expect(entry).toMatchObject({ reject_target: 0.98, threshold: asset.rungs[8].threshold });
    expect(entry.threshold_source).toMatch(/^shipped-default/);
  });

  const changed = (change: (copy: CalibrationAsset) => void) => {
    const copy: CalibrationAsset = JSON.parse(JSON.stringify(asset));
    change(copy);
    return JSON.stringify(copy);
  };
  it.each<[string, () => string]>([
    ['another model', () => changed((a) => (a.model_digest = 'b'.repeat(64)))],
    ['another schema', () => changed((a) => ((a as { schema: number }).schema = 2))],
    ['a rung too few', () => changed((a) => a.rungs.pop())],
    ['a threshold that is none', () => changed((a) => (a.rungs[3].threshold = Number.NaN))],
    ['no curve', () => changed((a) => (a.p_match_5050.scores = []))],
    ['no JSON', () => '{'],
    ['nothing', () => 'null'],
  ])('is refused as an asset: %s', (_, text) => {
    expect(() => loadAsset(text(), MODEL)).toThrow(expect.objectContaining({ kind: 'asset' }));
    expect(() => loadAsset(text(), MODEL)).toThrow('policy or asset message');
  });
});
