import { ThreadPool } from '#kit/threads/pool';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import type { Side } from '#science/spectra/refusal';
import type { Sampling } from '#science/spectra/sampling';
import { prepareSide } from '#science/spectra/scan-set';
import { stonesAWorld } from '../populations.js';
import { ascending, type SimulatedScan } from '../simulator/index.js';
import type { SpectraTable } from './settings.js';

/** Stones of one population and seed, numbered from `from`. */
export interface Draw {
  /** A name of `POPULATION_NAMES`. */
  population: string;
  seed: number;
  from: number;
  stones: number;
}

/** The stones of a table, and the number of scans of each. */
export interface TableRecipe {
  draws: Draw[];
  rough: number;
  polish: number;
  /** Marks a stone whose scans are refused as one to leave out, in place of an error. */
  leaveOutRefused?: true;
  /** Sampling of the scans onto the reference axis; by default that of new models. */
  sampling?: Sampling;
}

/** The job of a simulating thread; it takes stones by counting `next` up until none is left. */
export interface SimulationJob {
  recipe: TableRecipe;
  spectra: Float32Array;
  wrong: Uint8Array;
  next: Int32Array;
}

export const stonesOf = (recipe: TableRecipe): number => recipe.draws.reduce((sum, draw) => sum + draw.stones, 0);

/** A side's scans on the reference axis (count x 671), prepared as by the service. */
export function spectraOf(side: Side, scans: SimulatedScan[], sampling?: Sampling): Float32Array {
  return prepareSide({ side, references: [], scans: scans.map(ascending) }, sampling).spectra;
}

/** Numbers the worlds (mines, mix, instrument) that the stones of a table come from. */
export function groupsOf(recipe: TableRecipe): Int32Array {
  const numbers = new Map<string, number>();
  const keys = recipe.draws.flatMap(({ population, seed, from, stones }) => {
    const block = stonesAWorld(population);
    const one = !Number.isFinite(block);
    return Array.from({ length: stones }, (_, i) =>
      one ? population : `${population} ${seed} ${Math.floor((from + i) / block)}`,
    );
  });
  return Int32Array.from(keys, (key) => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/** The stones of a table that share a world, `block` after `block`, without a world that is cut short. */
export function worldsOf({ spectra, stones, rough, polish }: SpectraTable, block: number): SpectraTable[] {
  const size = (rough + polish) * REFERENCE_POINTS;
  const each = Math.min(block, stones);
  return Array.from({ length: Math.floor(stones / each) }, (_, world) => ({
    spectra: spectra.subarray(world * each * size, (world + 1) * each * size),
    ...{ stones: each, rough, polish },
  }));
}

/** Simulates a table on worker threads, into shared memory; its bytes do not depend on their number. */
export async function simulateTable(
  recipe: TableRecipe,
  threads: number,
  onProgress?: (done: number, of: number) => void,
): Promise<SpectraTable> {
  const stones = stonesOf(recipe);
  const scans = recipe.rough + recipe.polish;
  const spectra = new Float32Array(new SharedArrayBuffer(stones * scans * REFERENCE_POINTS * 4));
  const next = new Int32Array(new SharedArrayBuffer(4));
  const wrong = new Uint8Array(new SharedArrayBuffer(stones));
  const job: SimulationJob = { recipe, spectra, wrong, next };
  const timer = onProgress && setInterval(() => onProgress(Math.min(next[0], stones), stones), 1000);
  const size = Math.max(1, Math.min(threads, stones));
  const pool = new ThreadPool({ threads: size });
  const module = new URL('./simulation-worker.js', import.meta.url);
  try {
    await Promise.all(Array.from({ length: size }, () => pool.run(module, 'simulateStones', [job])));
  } finally {
    clearInterval(timer);
    await pool.close();
  }
  onProgress?.(stones, stones);
  return { spectra, stones, rough: recipe.rough, polish: recipe.polish, wrong, groups: groupsOf(recipe) };
}
