import type { SimulatedScan } from './beam.js';
import { opusScan } from './opus-writer.js';
import type { SimulatedStone } from './simulate.js';

export const SCAN_FORMATS = ['csv', 'dpt', 'opus', 'json'] as const;
export type ScanFormat = (typeof SCAN_FORMATS)[number];

export interface SimulatedFile {
  name: string;
  data: Uint8Array;
}

const WAVENUMBER_DECIMALS = 5;
const ABSORBANCE_DECIMALS = 6;

/**
 * A stone's scans as files: `<stone>_rough_<n>` and `<stone>_polish_<n>` as csv, dpt or OPUS (`.0`), or `<stone>.json`,
 * the body of a request to verify (without a polish side where the stone has no polish scans).
 */
export function stoneFiles(stone: SimulatedStone, format: ScanFormat): SimulatedFile[] {
  if (format === 'json') return [{ name: `${stone.id}.json`, data: claimBody(stone) }];
  return (['rough', 'polish'] as const).flatMap((side) =>
    stone[side].map((scan, n) => ({
      name: `${stone.id}_${side}_${n + 1}.${format === 'opus' ? '0' : format}`,
      data: scanFile(scan, format),
    })),
  );
}

export function scanFile({ wavenumbers, absorbance }: SimulatedScan, format: Exclude<ScanFormat, 'json'>): Uint8Array {
  if (format === 'opus') {
    return opusScan(Float32Array.from(absorbance), wavenumbers[0], wavenumbers[wavenumbers.length - 1]);
  }
  const separator = format === 'dpt' ? '\t' : ',';
  let text = '';
  for (let i = 0; i < wavenumbers.length; i++) {
    text += `${wavenumbers[i].toFixed(WAVENUMBER_DECIMALS)}${separator}${absorbance[i].toFixed(ABSORBANCE_DECIMALS)}\n`;
  }
  return new TextEncoder().encode(text);
}

/** Numbers rounded as in the text files, so that both forms of a stone are the same scan set. */
function claimBody(stone: SimulatedStone): Uint8Array {
  const printed = (values: Float64Array, decimals: number) => Array.from(values, (v) => Number(v.toFixed(decimals)));
  const side = (scans: SimulatedScan[]) => ({
    wavenumbers: printed(scans[0].wavenumbers, WAVENUMBER_DECIMALS),
    spectra: scans.map(({ absorbance }) => printed(absorbance, ABSORBANCE_DECIMALS)),
    stone_id: stone.id,
  });
  const polish = stone.polish.length > 0 ? side(stone.polish) : undefined;
  const body = { rough: side(stone.rough), polish };
  return new TextEncoder().encode(JSON.stringify(body));
}
