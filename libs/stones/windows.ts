/**
 * The latest scan sets of a key, or of the production keys of a population, by side and model. A window is made of the
 * tables where it is not in memory: reading a thousand sets for each claim would take longer than all else.
 */
import { differingBits, NEAR, type Sketch, similarity } from './nearness.js';

const SETS = NEAR.copy.latest;
/** Sets that all windows hold together, 1 kB each with vectors of three encoders. */
const KEPT = 128 * SETS;

export interface Bar {
  cosine: number;
  latest: number;
  slack: number;
}

class Window {
  private readonly signatures = new Int32Array(2 * SETS);
  private readonly sketches: Sketch[] = [];
  private readonly sets: number[] = [];
  private added = 0;

  add(set: number, sketch: Sketch): void {
    const at = this.added++ % SETS;
    this.signatures[2 * at] = sketch.low;
    this.signatures[2 * at + 1] = sketch.high;
    this.sketches[at] = sketch;
    this.sets[at] = set;
  }

  get size(): number {
    return this.sets.length;
  }

  /** Numbers of the sets that are near, latest first. */
  near(sketch: Sketch, { cosine, latest, slack }: Bar): number[] {
    const near: number[] = [];
    for (let back = 1; back <= Math.min(latest, this.size); back++) {
      const at = (this.added - back) % SETS;
      const other = { low: this.signatures[2 * at], high: this.signatures[2 * at + 1] };
      if (differingBits(sketch, other) > slack) continue;
      if (similarity(sketch.values, this.sketches[at].values) >= cosine) near.push(this.sets[at]);
    }
    return near;
  }
}

/** A set's number in its table, and its sketch. */
export type WindowSet = readonly [set: number, sketch: Sketch];

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
      for (const [set, sketch] of load()) window.add(set, sketch);
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
  add(name: string, set: number, sketch: Sketch): void {
    const window = this.windows.get(name);
    if (!window) return;
    const before = window.size;
    window.add(set, sketch);
    this.held += window.size - before;
  }
}
