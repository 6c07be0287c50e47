import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { packageVersion } from '#config/version';
import type { Model } from '#science/matching/model';
import { examineSide } from '#science/matching/verdict';
import { inspectScanFile } from '#science/spectra/files';
import {
  DETAIL_RESIDUAL_BAND,
  type Gauges,
  LOCALLY_POLYNOMIAL_LIMIT,
  SHARPNESS_BAND,
} from '#science/spectra/gauges/index';
import { SCAN_FILES } from '#science/spectra/names';
import type { FileReading } from '#science/spectra/reading';
import { Refusal, type Unused } from '#science/spectra/refusal';
import { planAxis, type Range } from '#science/spectra/sampling';
import { prepareSide, rangesOf, type ScanSet } from '#science/spectra/scan-set';
import { referenceReader } from '#science/spectra/stone-names';
import { nameReader } from '../claim-files.js';
import { Exit } from '../exit.js';
import { listInputs, readInput } from '../files.js';
import { type Band, type Inspection, inspectionTable, rounded } from '../inspection-table.js';
import { exitWith } from '../io.js';
import { openModel } from '../matcher.js';
import type { PlottedScan } from '../plot.js';
import { print } from '../print.js';

interface Options {
  details?: boolean;
  json?: boolean;
  plot?: string;
  model?: string;
  pattern?: string;
}

export function register(command: Command): void {
  command
    .argument('<file...>', `${SCAN_FILES}, or folders of them`)
    .option('--model <folder>', 'read the scans as this model takes them, and say whether it sees a stone')
    .option('--pattern <template>', 'of the files’ names, as of mvs submit: by which stones are told')
    .option('--details', 'of several files: each by itself before the table')
    .option('--json', 'print an array with one object per file')
    .option('--plot <svg>', 'draw the spectra into this file; those that are refused and can be read are grey')
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

/** A file that could be read, with its gauges or the refusal of its scan. */
type Examined = FileReading & ({ gauges: Gauges; refusal?: undefined } | { gauges?: undefined; refusal: Refusal });

async function inspect(paths: string[], options: Options): Promise<void> {
  const model = openModel(options.model);
  const reader = options.pattern === undefined ? undefined : nameReader(options.pattern);
  const inspections: Inspection[] = [];
  const plotted: PlottedScan[] = [];
  const unused: Unused[] = [];
  let last = '';
  const listed = await existing(paths, unused);
  // Names are read together, as those of one side of a claim.
  const referenceOf = referenceReader({ rough: listed.map(String), polish: [] }, reader);
  for (const path of listed)
    for (const reading of path instanceof Refusal ? [path] : await read(path)) {
      if (!(reading instanceof Refusal || 'scan' in reading)) {
        unused.push(reading);
        continue;
      }
      const found = examined(reading, model);
      const file = found.file ?? String(path);
      const stone = referenceOf(file) || undefined;
      inspections.push({ ...inspectionOf(file, found), ...(stone !== undefined && { stone }) });
      if (!(found instanceof Refusal)) plotted.push(plottedOf(found));
      last = describe(file, found, options.model === undefined ? undefined : model, stone);
      if (options.details && !options.json) print(last);
    }
  inspections.push(...unused.map(({ file, reason }): Inspection => ({ ...NOTHING, file, unused: true, reason })));
  if (options.json) print(JSON.stringify(inspections, null, 2));
  else if (inspections.length > 1) print(`${inspectionTable(inspections)}\n${by(model)}`);
  else if (!options.details) print(last);
  if (options.plot !== undefined) {
    // The charting library takes longer to load than a file to read.
    const { plotSpectra } = await import('../plot.js');
    await writeFile(options.plot, plotSpectra(plotted));
    const undrawn = inspections.length - plotted.length;
    const without = undrawn === 0 ? '' : `, without ${undrawn} that could not be read`;
    if (!options.json) print(`plot written to ${options.plot}${without}`);
  }
  if (inspections.some(({ accepted, unused }) => !accepted && !unused)) exitWith(Exit.refused);
}

/** Who read the files and when, for a table that is kept. */
const by = ({ name, digest }: Model): string =>
  `mvs ${packageVersion()}, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, model ${name} (${digest.slice(0, 16)})`;

const plottedOf = ({ file, scan, ...found }: Examined): PlottedScan => ({
  name: basename(file),
  ...scan,
  ...(found.refusal
    ? { refused: found.refusal.reason ?? found.refusal.phrase }
    : {
        marks: outOfBand(found.gauges).map(
          ({ name, value, side, limit }) => `${name} ${value.toFixed(3)} ${side} ${limit}`,
        ),
      }),
});

interface OutOfBand {
  name: string;
  value: number;
  side: 'below' | 'above';
  limit: number;
}

const GAUGES: {
  name: string;
  member: 'sharpness' | 'detailResidual' | 'locallyPolynomial';
  digits: number;
  band: Band;
}[] = [
  { name: 'sharpness', member: 'sharpness', digits: 4, band: [SHARPNESS_BAND.low, SHARPNESS_BAND.high] },
  {
    name: 'detail residual',
    member: 'detailResidual',
    digits: 3,
    band: [DETAIL_RESIDUAL_BAND.low, DETAIL_RESIDUAL_BAND.high],
  },
  { name: 'locally polynomial', member: 'locallyPolynomial', digits: 3, band: [null, LOCALLY_POLYNOMIAL_LIMIT] },
];

function outOfBand(gauges: Gauges): OutOfBand[] {
  return GAUGES.flatMap(({ name, member, band: [low, high] }): OutOfBand[] => {
    const value = gauges[member];
    if (low !== null && value < low) return [{ name, value, side: 'below', limit: low }];
    return high !== null && value > high ? [{ name, value, side: 'above', limit: high }] : [];
  });
}

/** Folders are listed; a folder without scans is refused like any other file. */
async function existing(paths: string[], unused: Unused[]): Promise<(string | Refusal)[]> {
  const lists = paths.map((path) =>
    listInputs([path], unused).catch((error) => {
      if (error instanceof Refusal) return [error];
      throw error;
    }),
  );
  return (await Promise.all(lists)).flat();
}

async function read(path: string): Promise<(FileReading | Refusal | Unused)[]> {
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
    if (error instanceof Refusal) return { ...found, refusal: error.on() };
    throw error;
  }
}

const NOTHING = {
  ...{ format: null, accepted: false, points: null },
  ...{ first_wavenumber: null, last_wavenumber: null, min: null, max: null },
};

function inspectionOf(file: string, found: Examined | Refusal): Inspection {
  if (found instanceof Refusal || found.refusal) {
    const { detail } = found instanceof Refusal ? found : found.refusal;
    return { ...NOTHING, file, reason: detail };
  }
  const { format, block, points, firstWavenumber, lastWavenumber, min, max, acquired, gauges } = found;
  const missing = missingOf(found);
  const notes = [
    ...(missing.length > 0 ? [`lacks ${rangesOf(missing)} cm^-1`] : []),
    ...outOfBand(gauges).map(({ name, value, side, limit }) => `${name} ${value.toFixed(3)} ${side} ${limit}`),
  ];
  const gauge = (at: number) => ({ value: gauges[GAUGES[at].member], band: GAUGES[at].band });
  return {
    file,
    format,
    accepted: true,
    ...(block === undefined ? {} : { block }),
    ...(acquired && { acquired }),
    points,
    first_wavenumber: firstWavenumber,
    last_wavenumber: lastWavenumber,
    step: stepOf(found),
    missing,
    ...(notes.length > 0 && { notes }),
    min,
    max,
    gauges: { sharpness: gauge(0), detail_residual: gauge(1), locally_polynomial: gauge(2) },
  };
}

/** Mean step of the axis, cm^-1. */
const stepOf = ({ points, firstWavenumber, lastWavenumber }: FileReading): number =>
  Math.abs(lastWavenumber - firstWavenumber) / (points - 1);

/** Stretches of the reference axis that a scan lacks, cm^-1. */
const missingOf = ({ scan }: FileReading): Range[] => planAxis(scan.wavenumbers).missing;

function describe(file: string, found: Examined | Refusal, model?: Model, stone?: string): string {
  if (found instanceof Refusal) return `${file}\n  refused      ${sayOf(found)}`;
  const { format, choice, points, firstWavenumber, lastWavenumber, min, max, acquired = {}, refusal } = found;
  const { instrument, date, resolution, apodisation } = acquired;
  const missing = missingOf(found);
  const measured = [
    ...(instrument === undefined ? [] : [instrument]),
    ...(date === undefined ? [] : [date]),
    ...(resolution === undefined ? [] : [`resolution ${resolution} cm^-1`]),
    ...(apodisation === undefined ? [] : [`apodisation ${apodisation}`]),
  ];
  return [
    file,
    ...(refusal ? [`  refused      ${sayOf(refusal)}`] : []),
    ...(stone === undefined ? [] : [`  stone        ${stone}`]),
    `  format       ${format}`,
    `  chosen       ${choice}`,
    ...(measured.length === 0 ? [] : [`  measured     ${measured.join(', ')}`]),
    `  points       ${points}, ${rounded(firstWavenumber, 7)} to ${rounded(lastWavenumber, 7)} cm^-1, a step of ${Number(stepOf(found).toFixed(4))}`,
    `  coverage     ${missing.length === 0 ? 'all of the reference axis' : `lacks ${rangesOf(missing)} cm^-1 of the reference axis`}`,
    `  absorbance   ${rounded(min, 4)} to ${rounded(max, 4)}`,
    ...(found.gauges ? [`  gauges       ${describeGauges(found.gauges)}`] : []),
    // One that it sees nothing in is refused.
    ...(model && !refusal
      ? [`  model        ${model.name} ${model.digest.slice(0, 16)} sees the bands of a stone`]
      : []),
  ].join('\n');
}

/** A refusal without the file, which stands above it. */
const sayOf = (refusal: Refusal): string => refusal.of(undefined).detail;

/** Each with its band, and a word where it is out of it. */
function describeGauges(gauges: Gauges): string {
  const out = outOfBand(gauges);
  return GAUGES.map(({ name, member, digits, band: [low, high] }) => {
    const side = out.find((one) => one.name === name)?.side;
    const band = low === null ? `at most ${high}` : `${low} to ${high}`;
    return `${name} ${gauges[member].toFixed(digits)} (${side ? `${side.toUpperCase()} ` : ''}${band})`;
  }).join(', ');
}
