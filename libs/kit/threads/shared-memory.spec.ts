import { SharedMemory } from './shared-memory.js';

const KIB = 1024;

describe('memory that threads share', () => {
  it('is wiped when it is given back, and used again for the next one of its size', () => {
    const memory = new SharedMemory();
    const first = memory.take(55 * KIB).fill(7);
    const { buffer } = first;
    expect([first.length, buffer.byteLength]).toEqual([55 * KIB, 64 * KIB]);
    memory.giveBack(first);
    expect(new Uint8Array(buffer).some((byte) => byte !== 0)).toBe(false);
    expect(memory.take(65 * KIB).buffer.byteLength).toBe(128 * KIB);
    expect(memory.take(10).buffer).toBe(buffer);
    expect(memory.take(10).buffer).not.toBe(buffer);
  });

  it('is not used again before it is given back, nor given to two where it is given back twice', () => {
    const memory = new SharedMemory();
    const lost = memory.take(1);
    const other = memory.take(1);
    memory.giveBack(other);
    memory.giveBack(other);
    const taken = [1, 2, 3].map(() => memory.take(1).buffer);
    expect(taken[0]).toBe(other.buffer);
    expect(new Set([...taken, lost.buffer]).size).toBe(4);
  });

  it('is none of it where much is asked for, and what is not of it stays as it is', () => {
    const memory = new SharedMemory();
    expect(memory.take(256 * KIB).buffer.byteLength).toBe(256 * KIB);
    const large = memory.take(256 * KIB + 1).fill(1);
    expect(Object.prototype.toString.call(large.buffer)).toBe('[object ArrayBuffer]');
    const foreign = new Uint8Array(new SharedArrayBuffer(64 * KIB)).fill(1);
    for (const one of [large, foreign]) {
      memory.giveBack(one);
      expect(one[0]).toBe(1);
    }
    expect(memory.take(1).buffer).not.toBe(foreign.buffer);
  });

  it('keeps no more than 4 MiB', () => {
    const memory = new SharedMemory();
    const taken = Array.from({ length: 20 }, () => memory.take(256 * KIB));
    const known = new Set(taken.map(({ buffer }) => buffer));
    for (const one of taken) memory.giveBack(one);
    const again = Array.from({ length: 20 }, () => memory.take(256 * KIB).buffer);
    expect(again.filter((buffer) => known.has(buffer))).toHaveLength(16);
  });
});
