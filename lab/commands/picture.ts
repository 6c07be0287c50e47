import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { INK, SERIES } from '#pictures';
import { readScanFile } from '#science/spectra/scan-file';
import { print } from '../../apps/cli/print.js';
import {
  absorptionTables,
  type ComponentName,
  MEAN_SHAPES,
  POPULATIONS,
  populationNamed,
  type SimulatedScan,
  simulateStone,
} from '../simulator/index.js';

interface Options {
  population: string;
  seed: number;
  stones: number[];
  references?: string;
  out: string;
  json?: true;
}

type Points = [number, number][];
interface Line {
  name: string;
  points: Points;
  colour: string;
  dashed?: boolean;
}
interface Panel {
  title: string;
  unit: string;
  from: number;
  to: number;
  max?: number;
  lines: Line[];
}

const WIDTH = 1400;
const PANEL_HEIGHT = 430;

export function register(command: Command): void {
  command
    .addOption(
      new Option('--population <name>', 'who measured what').choices(Object.keys(POPULATIONS)).default('calibration'),
    )
    .option('--seed <n>', 'seed of the stones', (text) => numbers(text)[0], 1)
    .option('--stones <n,...>', 'which stones', numbers, [0, 1, 2, 3])
    .option('--references <folder>', 'folder of measured reference curves, to draw beside them')
    .requiredOption('--out <svg>', 'file to write')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mvs picture --out stones.svg
  mvs picture --population low-noise-4 --stones 3,17 --out fine.svg`,
    )
    .action(picture);
}

async function picture(options: Options): Promise<void> {
  const population = populationNamed(options.population);
  const stones = options.stones.map((stone) => simulateStone(population, options.seed, stone));
  const { references } = options;
  const pure = references === undefined ? undefined : await readPure(join(references, 'quiddit3__typeIIa.csv'));
  const components =
    references === undefined ? undefined : await readComponents(join(references, 'quiddit3__CAXBD.csv'));
  const each = (value: (scan: SimulatedScan) => Points): Line[] =>
    stones.flatMap(({ id, type, rough, polish }, k) => [
      { name: `${id} (${type}) rough`, points: value(rough[0]), colour: SERIES[k % SERIES.length] },
      { name: `${id} polish`, points: value(polish[0]), colour: SERIES[k % SERIES.length], dashed: true },
    ]);
  const reference: Line[] = pure ? [{ name: 'measured type IIa', points: pure, colour: INK.text }] : [];
  const panels: Panel[] = [
    { title: `${population.name}: as measured`, unit: 'absorbance', from: 400, to: 6000, lines: each(asMeasured) },
    {
      title: `per path: 12.3 cm⁻¹ at 1992 above the level at 4700${pure ? ', and a measured type IIa' : ''}`,
      unit: 'alpha, cm⁻¹',
      from: 800,
      to: 4600,
      max: 30,
      lines: [...each(perPath), ...reference],
    },
    {
      title: 'two-phonon bands',
      unit: 'alpha, cm⁻¹',
      from: 1400,
      to: 2800,
      max: 20,
      lines: [...each(perPath), ...reference, { ...simulatedPure(), colour: INK.axis }],
    },
    {
      title: `nitrogen components: simulated${components ? ' (full) and published (dashed)' : ''}`,
      unit: '1 at the reference',
      from: 700,
      to: 1400,
      lines: NITROGEN.flatMap((name, k): Line[] => {
        const published = components?.[k].points;
        return [
          ...(published ? [{ name: `published ${name}`, points: published, colour: SERIES[k], dashed: true }] : []),
          { name: `simulated ${name}`, points: simulatedComponent(name), colour: SERIES[k] },
        ];
      }),
    },
  ];
  const source = `Simulated stones of ${population.name}, seed ${options.seed}; mvs picture`;
  await writeFile(options.out, await draw(panels, source));
  const { out, seed } = options;
  const drawn = { out, population: population.name, seed, stones: stones.map(({ id }) => id) };
  print(options.json ? JSON.stringify(drawn) : `picture written to ${out}`);
}

const asMeasured = ({ wavenumbers, absorbance }: SimulatedScan): Points =>
  Array.from(wavenumbers, (w, i) => [w, absorbance[i]]);

/** Absorption coefficient as spectroscopists take it from the lattice: 12.3 cm^-1 at 1992 above the level at 4700. */
function perPath(scan: SimulatedScan): Points {
  const points = asMeasured(scan);
  const at = (wavenumber: number) => {
    const near = points.filter(([w]) => Math.abs(w - wavenumber) < 25);
    return near.reduce((sum, [, a]) => sum + a, 0) / near.length;
  };
  const base = at(4700);
  const scale = 12.3 / (at(1992) - base);
  return points.map(([w, a]) => [w, scale * (a - base)]);
}

const NITROGEN = ['C', 'A', 'X', 'B', 'D'] as const;
type Nitrogen = (typeof NITROGEN)[number];
function simulatedComponent(name: Nitrogen): Points {
  const wavenumbers = Float64Array.from({ length: 701 }, (_, i) => 700 + i);
  return curve(wavenumbers, `nitrogen${name}`);
}

const simulatedPure = () => ({
  name: 'simulated lattice',
  points: curve(
    Float64Array.from({ length: 1400 }, (_, i) => 1400 + i),
    'lattice',
  ),
});

function curve(wavenumbers: Float64Array, name: ComponentName): Points {
  const { from, values } = absorptionTables(wavenumbers, MEAN_SHAPES).components[name];
  return Array.from(wavenumbers, (w, i) => [w, values[i - from] ?? 0]);
}

async function readPure(file: string): Promise<Points> {
  const { scan } = readScanFile(file, await readFile(file));
  return Array.from(scan.wavenumbers, (w, i) => [w, scan.absorbance[i]]);
}

async function readComponents(file: string): Promise<{ name: Nitrogen; points: Points }[]> {
  const rows = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  return NITROGEN.map((name, column) => ({
    name,
    points: rows.map((row): [number, number] => [row[0], row[column + 1]]),
  }));
}

async function draw(panels: Panel[], source: string): Promise<string> {
  // The charting library takes longer to load than everything else here.
  const { drawChart, LINES } = await import('#pictures/chart');
  const top = (k: number) => k * PANEL_HEIGHT;
  return drawChart({
    width: WIDTH,
    height: panels.length * PANEL_HEIGHT,
    source,
    option: {
      title: panels.map(({ title }, k) => ({ text: title, left: 70, top: top(k) + 8, textStyle: { fontSize: 14 } })),
      legend: panels.map(({ lines }, k) => ({
        ...LINES,
        data: lines.map((line) => `${k} ${line.name}`),
        formatter: (name: string) => name.slice(name.indexOf(' ') + 1),
        type: 'plain',
        orient: 'vertical',
        right: 10,
        top: top(k) + 40,
      })),
      grid: panels.map((_, k) => ({ left: 70, right: 250, top: top(k) + 40, height: PANEL_HEIGHT - 95 })),
      xAxis: panels.map(({ from, to }, k) => ({
        type: 'value',
        gridIndex: k,
        min: from,
        max: to,
        inverse: true,
        name: 'wavenumber, cm⁻¹',
        nameLocation: 'middle',
        nameGap: 24,
      })),
      yAxis: panels.map(({ unit, max }, k) => ({
        type: 'value',
        gridIndex: k,
        name: unit,
        nameLocation: 'middle',
        nameGap: 40,
        max,
        min: max === undefined ? undefined : 0,
        position: 'left',
      })),
      series: panels.flatMap(({ lines, from, to }, k) =>
        lines.map(({ name, points, colour, dashed }) => ({
          type: 'line',
          name: `${k} ${name}`,
          xAxisIndex: k,
          yAxisIndex: k,
          showSymbol: false,
          clip: true,
          color: colour,
          lineStyle: { width: 1.2, type: dashed ? 'dashed' : 'solid' },
          data: points.filter(([w]) => w >= from && w <= to),
        })),
      ),
    },
  });
}

/** Whole numbers separated by commas. */
function numbers(text: string): number[] {
  const values = text.split(',').map(Number);
  if (!/^[0-9]+(,[0-9]+)*$/.test(text)) throw new InvalidArgumentError('It must be whole numbers joined by commas.');
  return values;
}
