/**
 * The latest scan sets of a key, or of the production keys of a population, by side and model. A window is made of the
 * tables where it is not in memory: reading a thousand sets for each claim would take longer than all else.
 */
import { differingBits, NEAR, productOf, type Sketch, similarity } from './nearness.js';

const SETS = NEAR.copy.latest;
/** Sets that all windows hold together, 1 kB each with vectors of three encoders. */
const KEPT = 128 * SETS;
/** Sets of one stone that a set is compared with at most. */
const SETS_OF_A_STONE = 4;
/** Sets that a set is compared with at most, those with the nearest signatures first: copies are among them. */
const COMPARED = 128;

export interface Bar {
  cosine: number;
  latest: number;
  slack: number;
}

/** By place in a window, from the latest one on: by how many bits the signature differs; and the places in order. */
const bits = new Uint8Array(SETS + 1);
const order = new Uint16Array(SETS);

class Window {
  private readonly signatures = new Int32Array(2 * SETS);
  private readonly values: Int8Array[] = [];
  private readonly squares = new Float64Array(SETS);
  private readonly stones: number[] = [];
  private added = 0;

  add(stone: number, sketch: Sketch): void {
    const at = this.added++ % SETS;
    this.signatures[2 * at] = sketch.low;
    this.signatures[2 * at + 1] = sketch.high;
    this.values[at] = sketch.values;
    this.squares[at] = productOf(sketch.values, sketch.values);
    this.stones[at] = stone;
  }

  get size(): number {
    return this.stones.length;
  }

  /**
   * Stones of the sets that are near. A stone is compared by the few sets whose signatures are nearest, so that few stones that
   * are sent often cost no more than many.
   * @param fits asked of a stone that is near
   */
  near(sketch: Sketch, { cosine, latest, slack }: Bar, fits: (stone: number) => boolean): Set<number> {
    const near = new Set<number>();
    const compared = new Map<number, number>();
    const square = productOf(sketch.values, sketch.values);
    const candidates = this.inOrder(sketch, Math.min(latest, this.size), slack);
    for (let next = 0, left = COMPARED; next < candidates && left > 0; next++) {
      const at = (this.added - order[next]) % SETS;
      const stone = this.stones[at];
      const times = compared.get(stone) ?? 0;
      if (times === SETS_OF_A_STONE) continue;
      left--;
      const isNear = similarity(sketch.values, this.values[at], square * this.squares[at]) >= cosine;
      compared.set(stone, isNear ? SETS_OF_A_STONE : times + 1);
      if (isNear && fits(stone)) near.add(stone);
    }
    return near;
  }

  /** Puts places with a near signature in `order`, the nearest first, of equally near ones the latest. @returns how many */
  private inOrder(sketch: Sketch, looked: number, slack: number): number {
    const ends = new Uint16Array(slack + 2);
    for (let back = 1; back <= looked; back++) {
      const at = (this.added - back) % SETS;
      bits[back] = differingBits(sketch, this.signatures[2 * at], this.signatures[2 * at + 1]);
      if (bits[back] <= slack) ends[bits[back] + 1]++;
    }
    for (let differing = 1; differing <= slack + 1; differing++) ends[differing] += ends[differing - 1];
    const candidates = ends[slack + 1];
    for (let back = 1; back <= looked; back++) if (bits[back] <= slack) order[ends[bits[back]]++] = back;
    return candidates;
  }

  rename(from: number, into: number): void {
    for (let at = 0; at < this.size; at++) if (this.stones[at] === from) this.stones[at] = into;
  }
}

/** The stone that a set shows, and the set's sketch. */
export type WindowSet = readonly [stone: number, sketch: Sketch];

export class Windows {
  /** Those used longest ago first. */
  private readonly windows = new Map<string, Window>();
  private held = 0;

  /** @param load the latest sets, oldest first, where the window is not in memory */
  of(name: string, load: () => WindowSet[]): Window {
    let window = this.windows.get(name);
    if (window) this.windows.delete(name);
    else {
      window = new Window();
      for (const [stone, sketch] of load()) window.add(stone, sketch);
      this.held += window.size;
    }
    this.windows.set(name, window);
    for (const [oldest, { size }] of this.windows) {
      if (this.held <= KEPT || oldest === name) break;
      this.windows.delete(oldest);
      this.held -= size;
    }
    return window;
  }

  /** Adds a set to a window that is in memory. */
  add(name: string, stone: number, sketch: Sketch): void {
    const window = this.windows.get(name);
    if (!window) return;
    const before = window.size;
    window.add(stone, sketch);
    this.held += window.size - before;
  }

  /** Sets of `from` are `into`'s from now on. */
  rename(from: number, into: number): void {
    for (const window of this.windows.values()) window.rename(from, into);
  }
}
