import type { CalibrationAsset } from '#calibration';
import type { ThreadPool } from '#threads';
import type { Matcher } from '../../apps/cli/matcher.js';
import type { Figures } from './figures.js';
import type { Scoring } from './measure-scores.js';

/** What a chapter measures with. */
export interface Means extends Scoring {
  matcher: Matcher;
  pool: ThreadPool;
  /** Few stones: shows that the report works. */
  quick: boolean;
  /** Folder of the public scans. */
  data?: string;
  /** Reports to the progress bar that another step is done. */
  advance(): void;
}

/** A page with pictures, made of figures that are measured part by part. */
export interface Chapter<P extends object> {
  /** Of the page, and of the folder next to it that holds the pictures and `figures.json`. */
  name: string;
  /** Of stones on which nothing was trained, chosen or calibrated. */
  seed: number;
  parts: readonly (keyof P & string)[];
  /** Those that no model has a part in: their figures stand whatever the model. */
  modelFree: readonly (keyof P & string)[];
  /** The one that measures the public scans. */
  ofData?: keyof P & string;
  /** Steps that the progress bar counts. */
  steps(part: keyof P, quick: boolean): number;
  measure(means: Means): { [part in keyof P]: () => Promise<P[part]> };
  /** Pictures by file name. */
  draw(parts: Partial<P>): Record<string, string>;
  page(figures: Figures<P>, asset: CalibrationAsset): string;
}
