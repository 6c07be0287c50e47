import type { ThreadPool } from '#kit/threads/pool';
import type { CalibrationAsset } from '#science/calibration/asset';
import type { Matcher } from '../../apps/cli/matcher.js';
import type { Figures } from './figures.js';
import type { MeasuredModel } from './measure-scores.js';

/** The extent of a measurement. */
export interface Scale {
  /** Few stones: shows that the report works. */
  quick: boolean;
  /**
   * Extent for populations' own scorers: draws of claims, stones of a population, and which populations; all by default.
   */
  draws?: number;
  stones?: number;
  populations?: string[];
}

/** Everything a chapter needs to measure. */
export interface Means extends MeasuredModel, Scale {
  matcher: Matcher;
  pool: ThreadPool;
  /** Folder of the public scans. */
  data?: string;
  /** Reports to the progress bar that another step is done. */
  advance(): void;
}

/** A page with pictures, made of figures that are measured part by part. */
export interface Chapter<P extends object> {
  /** Name of the page, and of the folder next to it that holds the pictures and `figures.json`. */
  name: string;
  /** Seed of stones on which nothing was trained, chosen or calibrated. */
  seed: number;
  parts: readonly (keyof P & string)[];
  /** The parts without a model: their figures stand whatever the model. */
  modelFree: readonly (keyof P & string)[];
  /** The one that measures the public scans. */
  ofData?: keyof P & string;
  /** Steps that the progress bar counts. */
  steps(part: keyof P, scale: Scale): number;
  measure(means: Means): { [part in keyof P]: () => Promise<P[part]> };
  /** Pictures by file name, each with its source. */
  draw(parts: Partial<P>, source: string): Record<string, string>;
  /** Text for a block of another page beside its own. */
  block?(parts: Partial<P>): { page: string; name: string; text: string } | undefined;
  page(figures: Figures<P>, asset: CalibrationAsset): string;
}
