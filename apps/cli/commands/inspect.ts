import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { isBlank, type Model } from '#matching';
import { type FileReading, type Gauges, inspectScanFile, measureGauges, prepareSide, Refusal } from '#spectra';
import { Exit } from '../exit.js';
import { listInputs, readInput } from '../files.js';
import { openModel } from '../matcher.js';

interface Options {
  json?: boolean;
  plot?: string;
  model?: string;
}

export function register(program: Command): void {
  program
    .command('inspect')
    .description('Show what is read from scan files, or why they are refused. Exits 2 where any is refused.')
    .argument('<file...>', 'scan files (.0 .dpt .csv .txt), zips, or folders of them')
    .option('--model <folder>', 'read the scans as this model takes them, and say whether it sees a stone')
    .option('--json', 'print an array with one object a file')
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
}

async function inspect(paths: string[], options: Options): Promise<void> {
  const model = options.model === undefined ? undefined : openModel(options.model);
  const inspections: Inspection[] = [];
  const readings: FileReading[] = [];
  for (const path of await existing(paths))
    for (const found of await read(path)) {
      const file = found.file ?? path;
      inspections.push(inspectionOf(file, found));
      if (!(found instanceof Refusal)) readings.push(found);
      if (!options.json) console.log(describe(file, found, model));
    }
  if (options.json) console.log(JSON.stringify(inspections, null, 2));
  if (options.plot !== undefined) {
    // The charting library takes longer to load than a file to read.
    const { plotSpectra } = await import('../plot.js');
    await writeFile(options.plot, plotSpectra(readings.map(({ file, scan }) => ({ name: basename(file), ...scan }))));
    if (!options.json) console.log(`plot written to ${options.plot}`);
  }
  if (inspections.some(({ accepted }) => !accepted)) process.exitCode = Exit.refused;
}

/** Folders are listed; a path that is not there stays, to be refused by name like any other file. */
async function existing(paths: string[]): Promise<string[]> {
  const lists = paths.map((path) => listInputs([path]).catch(() => [path]));
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

function inspectionOf(file: string, found: FileReading | Refusal): Inspection {
  if (found instanceof Refusal) {
    const none = { points: null, first_wavenumber: null, last_wavenumber: null, min: null, max: null };
    return { file, format: null, accepted: false, reason: found.detail, ...none };
  }
  const { format, block, points, firstWavenumber, lastWavenumber, min, max } = found;
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
  };
}

function describe(file: string, found: FileReading | Refusal, model?: Model): string {
  if (found instanceof Refusal) return `${file}\n  refused      ${found.detail}`;
  const { format, choice, points, firstWavenumber, lastWavenumber, min, max } = found;
  return [
    file,
    `  format       ${format}`,
    `  chosen       ${choice}`,
    `  points       ${points}, ${firstWavenumber} to ${lastWavenumber} cm^-1`,
    `  absorbance   ${min} to ${max}`,
    `  gauges       ${describeGauges(found, model)}`,
    ...(model ? [`  model        ${describeSight(found, model)}`] : []),
  ].join('\n');
}

const sideOf = ({ scan }: FileReading, model?: Model) =>
  prepareSide({ side: 'rough', scans: [{ ...scan, file: undefined }], references: [] }, model?.input.sampling);

/** Whether a model sees a stone in a scan. */
function describeSight(reading: FileReading, model: Model): string {
  const { digest, name } = model;
  try {
    const blank = isBlank(model, sideOf(reading, model).spectra);
    return `${name} ${digest.slice(0, 16)} sees ${blank ? 'nothing' : 'the bands'} of a stone`;
  } catch (error) {
    if (error instanceof Refusal) return `${name} ${digest.slice(0, 16)} is shown nothing`;
    throw error;
  }
}

/** A file that reads well may still carry no identity: then it says so in place of the gauges. */
function describeGauges(reading: FileReading, model?: Model): string {
  let gauges: Gauges;
  try {
    gauges = measureGauges(sideOf(reading, model));
  } catch (error) {
    if (error instanceof Refusal) return `none, as a claim it would be refused: ${error.detail}`;
    throw error;
  }
  const { sharpness, detailResidual, locallyPolynomial } = gauges;
  return (
    `sharpness ${sharpness.toFixed(4)}, detail residual ${detailResidual.toFixed(3)}, ` +
    `locally polynomial ${locallyPolynomial.toFixed(3)}`
  );
}
