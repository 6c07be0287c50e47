import { VECTOR } from '#science/matching/model';
import type { Side } from '#science/spectra/refusal';
import { bankOf, type Draw, simulateTable } from '../training/index.js';
import type { MeasuredModel } from './measure-scores.js';

/** Stones in the form of a population's evidence: one row of all encoders' unit vectors per side and stone. */
export interface Stones {
  /** Distinguishes them from other stones. */
  name: string;
  count: number;
  encoders: number;
  /** Values a row. */
  width: number;
  rough: Float32Array;
  polish: Float32Array;
  /** 1 where the record is wrong on purpose: the polish came out of another rough. */
  mispaired: Uint8Array;
}

export const rowOf = (stones: Stones, side: Side, i: number): Float32Array =>
  stones[side].subarray(i * stones.width, (i + 1) * stones.width);

/** Stones simulated at a time; their spectra take 19 kB each. */
const CHUNK = 2000;

/** Simulates stones as claims of 6 + 1 scans and encodes them. @param onStones called with how many more are done */
export async function simulateStones(
  { model, compute, threads }: Pick<MeasuredModel, 'model' | 'compute' | 'threads'>,
  draw: Draw,
  onStones: (count: number) => void = () => {},
): Promise<Stones> {
  const count = draw.stones;
  const { length: encoders } = model.encoders;
  const width = encoders * VECTOR;
  const stones: Stones = {
    name: JSON.stringify(draw),
    count,
    encoders,
    width,
    rough: new Float32Array(count * width),
    polish: new Float32Array(count * width),
    mispaired: new Uint8Array(count),
  };
  for (let done = 0; done < count; done += CHUNK) {
    const part = { ...draw, from: draw.from + done, stones: Math.min(CHUNK, count - done) };
    const table = await simulateTable({ draws: [part], rough: 6, polish: 1, sampling: model.input.sampling }, threads);
    const bank = await bankOf(model, compute, table);
    if (table.wrong) stones.mispaired.set(table.wrong, done);
    for (const [e, sides] of bank.encoders.entries())
      for (const side of ['rough', 'polish'] as const)
        for (let i = 0; i < part.stones; i++)
          rowOf(stones, side, done + i).set(sides[side].subarray(i * VECTOR, (i + 1) * VECTOR), e * VECTOR);
    onStones(part.stones);
  }
  return stones;
}
