import { encodeVector } from '#domain/vectors';
import { uniform } from '#science/numerics/random';
import { NEAR, similarity, sketchOf } from './nearness.js';
import { Windows } from './windows.js';

/** A set of two encoders: a common vector, and so much of its own. */
function setOf(seed: number, own: number) {
  const [common, draw] = [uniform(1), uniform(seed)];
  const vector = () => encodeVector(Float32Array.from({ length: 256 }, () => common() - 0.5 + own * (draw() - 0.5)));
  return sketchOf({ one: vector(), two: vector() });
}

it('finds a copy far back among a thousand stones that are all alike', () => {
  const sets = Array.from({ length: NEAR.copy.latest }, (_, i) => [i + 1, setOf(100 + i, 0.1)] as const);
  const window = new Windows().of('k', () => sets);
  const others = sets.slice(1).map(([, { values }]) => similarity(sets[0][1].values, values));
  expect(Math.max(...others)).toBeLessThan(NEAR.copy.cosine);
  expect(Math.min(...others)).toBeGreaterThan(NEAR.rescan.cosine);
  for (const [stone, sketch] of [sets[0], sets[500], sets[1023]])
    expect([...window.near(sketch, NEAR.copy, () => true)]).toEqual([stone]);
});
