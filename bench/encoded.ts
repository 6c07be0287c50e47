/** Vectors as real scans give them: each like all others of its side, which vectors of random numbers never are. */
import { encodeVector } from '#domain/vectors';
import { VECTOR } from '#science/matching/model';
import { Refusal, type Side } from '#science/spectra/refusal';
import { prepareSide } from '#science/spectra/scan-set';
import { ascending, POPULATIONS, simulateStone } from '#simulator';
import { Matcher } from '../apps/cli/matcher.js';
import { random } from '../test/streams.js';

/** Stones that are simulated and encoded; what more is drawn has their mean and, from so many at a time, covariance. */
const STONES = 500;
const TERMS = 64;
/** Share of the sets that are one of the first so many stones measured again, at an angle of about so much. */
const AGAIN = { share: 0.5, stones: 64, angle: 0.08 };
const SEED = 20_261;

export interface Encoded {
  /** Digest of the shipped model. */
  model: string;
  /** Draws banked vectors of a further stone, by encoder. */
  vectors(side: Side): Record<string, string>;
}

interface Stones {
  model: string;
  names: string[];
  pools: Record<Side, Float32Array[][]>;
}

async function encodedStones(): Promise<Stones> {
  const matcher = await Matcher.open();
  const names = matcher.model.encoders.map(({ name }) => name);
  const pools: Record<Side, Float32Array[][]> = { rough: [], polish: [] };
  for (let stone = 0; stone < STONES; stone++) {
    const simulated = simulateStone(POPULATIONS.calibration, SEED, stone);
    try {
      const [rough, polish] = await Promise.all(
        (['rough', 'polish'] as const).map((side) =>
          matcher.measure(prepareSide({ side, scans: simulated[side].map(ascending), references: [] })),
        ),
      );
      pools.rough.push(rough.vectors);
      pools.polish.push(polish.vectors);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  const { digest } = matcher.model;
  await matcher.close();
  return { model: digest, names, pools };
}

let stones: Promise<Stones> | undefined;

/** The same draws each time. */
export async function encodedVectors(): Promise<Encoded> {
  stones ??= encodedStones();
  const { model, names, pools } = await stones;
  const next = random(SEED);
  const draw = { rough: drawing(pools.rough, names.length, next), polish: drawing(pools.polish, names.length, next) };
  const vectors = (side: Side) => {
    const drawn = draw[side]();
    return Object.fromEntries(names.map((name, encoder) => [name, encodeVector(drawn[encoder])]));
  };
  return { model, vectors };
}

function drawing(pool: Float32Array[][], encoders: number, next: () => number): () => Float32Array[] {
  const means = Array.from({ length: encoders }, (_, encoder) => {
    const mean = new Float64Array(VECTOR);
    for (const stone of pool)
      stone[encoder].forEach((value, i) => {
        mean[i] += value / pool.length;
      });
    return mean;
  });
  let encoded = 0;
  return () => {
    if (encoded < pool.length) return pool[encoded++];
    if (next() < AGAIN.share) {
      const stone = pool[Math.floor(next() * AGAIN.stones)];
      const size = (AGAIN.angle * next() * Math.sqrt(3)) / Math.sqrt(VECTOR);
      return stone.map((values) => unit(values.map((value) => value + 2 * size * (next() - 0.5))));
    }
    const terms = Array.from({ length: TERMS }, () => ({
      stone: pool[Math.floor(next() * pool.length)],
      // Box and Muller's normal deviate.
      weight: (Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())) / Math.sqrt(TERMS),
    }));
    return means.map((mean, encoder) => {
      const values = mean.slice();
      for (const { stone, weight } of terms) {
        const of = stone[encoder];
        for (let i = 0; i < VECTOR; i++) values[i] += weight * (of[i] - mean[i]);
      }
      return unit(values);
    });
  };
}

function unit(values: Float32Array | Float64Array): Float32Array {
  let square = 0;
  for (const value of values) square += value * value;
  const length = Math.sqrt(square);
  return Float32Array.from(values, (value) => value / length);
}
