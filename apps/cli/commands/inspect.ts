import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { examineSide, type Model } from '#matching';
import {
  DETAIL_RESIDUAL_BAND,
  type FileReading,
  type Gauges,
  inspectScanFile,
  LOCALLY_POLYNOMIAL_LIMIT,
  prepareSide,
  Refusal,
  SCAN_FILES,
  type ScanSet,
  SHARPNESS_BAND,
} from '#spectra';
import { Exit } from '../exit.js';
import { listInputs, readInput } from '../files.js';
import { openModel } from '../matcher.js';
import { print } from '../print.js';

interface Options {
  json?: boolean;
  plot?: string;
  model?: string;
}

export function register(command: Command): void {
  command
    .argument('<file...>', `${SCAN_FILES}, or folders of them`)
    .option('--model <folder>', 'read the scans as this model takes them, and say whether it sees a stone')
    .option('--json', 'print an array with one object per file')
    .option('--plot <svg>', 'draw the accepted spectra into this file')
    .addHelpText(
      'after',
      `
Examples:
  mvs inspect S1_rough_1.0
  mvs inspect scans/ --json
  mvs inspect S1_*.csv --plot S1.svg`,
    )
    .action(inspect);
}

type Examined = FileReading & { gauges: Gauges };

/** One file as `--json` prints it; a refused one has a reason and no numbers. */
interface Inspection {
  file: string;
  format: string | null;
  accepted: boolean;
  reason?: string;
  block?: string;
  points: number | null;
  first_wavenumber: number | null;
  last_wavenumber: number | null;
  min: number | null;
  max: number | null;
  /** With what the service lets pass without a word; null where there is no such end. */
  gauges?: Record<'sharpness' | 'detail_residual' | 'locally_polynomial', { value: number; band: Band }>;
}
type Band = [low: number | null, high: number | null];

async function inspect(paths: string[], options: Options): Promise<void> {
  const model = openModel(options.model);
  const inspections: Inspection[] = [];
  const readings: FileReading[] = [];
  for (const path of await existing(paths))
    for (const reading of path instanceof Refusal ? [path] : await read(path)) {
      const found = examined(reading, model);
      const file = found.file ?? String(path);
      inspections.push(inspectionOf(file, found));
      if (!(found instanceof Refusal)) readings.push(found);
      if (!options.json) print(describe(file, found, options.model === undefined ? undefined : model));
    }
  if (options.json) print(JSON.stringify(inspections, null, 2));
  if (options.plot !== undefined) {
    // The charting library takes longer to load than a file to read.
    const { plotSpectra } = await import('../plot.js');
    await writeFile(options.plot, plotSpectra(readings.map(({ file, scan }) => ({ name: basename(file), ...scan }))));
    if (!options.json) print(`plot written to ${options.plot}`);
  }
  if (inspections.some(({ accepted }) => !accepted)) process.exitCode = Exit.refused;
}

/** Folders are listed; a folder without scans is refused like any other file. */
async function existing(paths: string[]): Promise<(string | Refusal)[]> {
  const lists = paths.map((path) =>
    listInputs([path]).catch((error) => {
      if (error instanceof Refusal) return [error];
      throw error;
    }),
  );
  return (await Promise.all(lists)).flat();
}

async function read(path: string): Promise<(FileReading | Refusal)[]> {
  try {
    return await inspectScanFile(path, (await readInput(path)).data);
  } catch (error) {
    if (error instanceof Refusal) return [error];
    throw error;
  }
}

/** A file that reads well is then held to all that a claim's side is held to, as the one scan of its side. */
function examined(found: FileReading | Refusal, model: Model): Examined | Refusal {
  if (found instanceof Refusal) return found;
  const { scan, file } = found;
  try {
    const set: ScanSet = { side: 'rough', scans: [{ ...scan, file }], references: [] };
    return { ...found, gauges: examineSide(prepareSide(set, model.input.sampling), model).gauges };
  } catch (error) {
    if (error instanceof Refusal) return error.on();
    throw error;
  }
}

function inspectionOf(file: string, found: Examined | Refusal): Inspection {
  if (found instanceof Refusal) {
    const none = { points: null, first_wavenumber: null, last_wavenumber: null, min: null, max: null };
    return { file, format: null, accepted: false, reason: found.detail, ...none };
  }
  const { format, block, points, firstWavenumber, lastWavenumber, min, max, gauges } = found;
  const { sharpness, detailResidual, locallyPolynomial } = gauges;
  return {
    file,
    format,
    accepted: true,
    ...(block === undefined ? {} : { block }),
    points,
    first_wavenumber: firstWavenumber,
    last_wavenumber: lastWavenumber,
    min,
    max,
    gauges: {
      sharpness: { value: sharpness, band: [SHARPNESS_BAND.low, SHARPNESS_BAND.high] },
      detail_residual: { value: detailResidual, band: [DETAIL_RESIDUAL_BAND.low, DETAIL_RESIDUAL_BAND.high] },
      locally_polynomial: { value: locallyPolynomial, band: [null, LOCALLY_POLYNOMIAL_LIMIT] },
    },
  };
}

function describe(file: string, found: Examined | Refusal, model?: Model): string {
  if (found instanceof Refusal) return `${file}\n  refused      ${found.detail}`;
  const { format, choice, points, firstWavenumber, lastWavenumber, min, max } = found;
  return [
    file,
    `  format       ${format}`,
    `  chosen       ${choice}`,
    `  points       ${points}, ${firstWavenumber} to ${lastWavenumber} cm^-1`,
    `  absorbance   ${min} to ${max}`,
    `  gauges       ${describeGauges(found.gauges)}`,
    // One that it sees nothing in is refused.
    ...(model ? [`  model        ${model.name} ${model.digest.slice(0, 16)} sees the bands of a stone`] : []),
  ].join('\n');
}

function describeGauges({ sharpness, detailResidual, locallyPolynomial }: Gauges): string {
  return (
    `sharpness ${sharpness.toFixed(4)} (${SHARPNESS_BAND.low} to ${SHARPNESS_BAND.high}), ` +
    `detail residual ${detailResidual.toFixed(3)} (${DETAIL_RESIDUAL_BAND.low} to ${DETAIL_RESIDUAL_BAND.high}), ` +
    `locally polynomial ${locallyPolynomial.toFixed(3)} (at most ${LOCALLY_POLYNOMIAL_LIMIT})`
  );
}
