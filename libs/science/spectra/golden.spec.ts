import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Refusal } from './refusal.js';
import { readScanFile } from './scan-file.js';

/** Real scan files with golden values, beside the checkout; see formats.md there. */
function sharedData(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return process.env.MVS_SHARED_DATA ?? join(folder, '../shared/data');
}

interface Golden {
  file: string;
  expect: 'accept' | 'reject';
  why?: string;
  absorbance?: {
    type: string;
    n: number;
    x_first: number;
    x_last: number;
    step: number;
    y_first3: number[];
    y_mid: [number, number];
    y_last3: number[];
    y_min: number;
    y_max: number;
    y_sum: number;
  };
  text?: Record<'n' | 'x_first' | 'x_last' | 'y_first' | 'y_last' | 'y_min' | 'y_max', number>;
}

/** The refusal's wording for a reason of the manifest. */
const REASONS: [RegExp, RegExp][] = [
  [/reflectance/, /holds reflectance and no absorbance/],
  [/several curves/, /table of (several )?curves/],
  [/garbage/, /garbage stands between data rows|is broken/],
  [/fewer than 50/, /fewer than 50/],
  [/no numeric rows/, /no numeric row/],
  [/transmittance/, /transmittance/],
  [/extension/, /not a supported extension/],
];

const data = sharedData();
const present = existsSync(join(data, 'manifest.json'));
const manifest: Golden[] = present ? JSON.parse(readFileSync(join(data, 'manifest.json'), 'utf8')) : [];
const read = (file: string) => readScanFile(file, new Uint8Array(readFileSync(join(data, file))));
const relative = (a: number, b: number) => Math.abs(a - b) / Math.abs(b);

describe('real files give their golden values', () => {
  (present ? it : it.skip)('(the data folder is there and lists them)', () =>
    expect(manifest.length).toBeGreaterThan(0),
  );

  for (const golden of manifest) {
    if (golden.expect === 'reject') {
      it(`${golden.file} is refused: ${golden.why}`, () => {
        const [, reason] = REASONS.find(([why]) => why.test(golden.why ?? ''))!;
        let detail = '';
        try {
          read(golden.file);
        } catch (error) {
          detail = (error as Refusal).detail;
        }
        expect(detail).toMatch(reason);
        expect(detail).toContain(`${golden.file}: no parseable spectra`);
      });
      continue;
    }
    it(golden.file, () => {
      const reading = read(golden.file);
      const descending = reading.firstWavenumber > reading.lastWavenumber;
      const inFileOrder = (values: Float64Array) => (descending ? values.toReversed() : values);
      const x = inFileOrder(reading.scan.wavenumbers);
      const y = inFileOrder(reading.scan.absorbance);
      const { absorbance, text } = golden;
      if (absorbance) {
        const { type, n, y_mid, y_sum, y_min, y_max } = absorbance;
        expect(reading).toMatchObject({ format: 'opus', block: type, points: n, min: y_min, max: y_max });
        const step = (absorbance.x_last - absorbance.x_first) / (n - 1);
        for (let i = 0; i < n; i++) {
          if (relative(x[i], absorbance.x_first + i * step) > 1e-9) throw new Error(`point ${i} of the axis is off`);
        }
        expect(Array.from(y.slice(0, 3))).toEqual(absorbance.y_first3);
        expect(y[y_mid[0]]).toBe(y_mid[1]);
        expect(Array.from(y.slice(n - 3))).toEqual(absorbance.y_last3);
        expect(
          relative(
            y.reduce((sum, value) => sum + value, 0),
            y_sum,
          ),
        ).toBeLessThan(1e-12);
      } else {
        const { n, x_first, x_last, y_first, y_last, y_min, y_max } = text!;
        expect(reading).toMatchObject({ format: 'text', points: n, min: y_min, max: y_max });
        expect([x[0], x[n - 1], y[0], y[n - 1]]).toEqual([x_first, x_last, y_first, y_last]);
      }
    });
  }
});
