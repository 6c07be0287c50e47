/** Spectra over each other as an option of ECharts: for pictures of the command line, and for charts of the console. */
import { extremes } from '#science/numerics/quantile';
import { DOUBT, INK } from './index.js';

export interface Curve {
  /** Its entry in the legend; curves of one name share one. */
  name: string;
  /** Ascending, cm^-1. */
  wavenumbers: ArrayLike<number>;
  /** NaN where nothing was measured. */
  values: ArrayLike<number>;
  color: string;
  dashed?: boolean;
  /** Lengths of strokes and gaps, in place of `dashed`. */
  dashes?: number[];
}

interface Drawing {
  curves: Curve[];
  /** Name of the axis of values. */
  unit: string;
  /** Stretches to point at, cm^-1, with a word for each. */
  pointedAt?: { name: string; range: readonly [from: number, to: number] }[];
}

/** More points than a plot this wide can show are thinned to the extremes of each step. */
const COLUMNS = 1500;
/** Regions of a diamond's spectrum, cm^-1. */
const REGIONS: [name: string, from: number, to: number, place: 'top' | 'insideTop'][] = [
  ['nitrogen', 900, 1400, 'top'],
  ['two phonons', 1680, 2680, 'top'],
  // On a wide axis its neighbours' names leave no room above it.
  ['C-H', 2800, 3120, 'insideTop'],
  ['three phonons', 3200, 4000, 'top'],
];
/** A step this many times as wide as the usual one is a gap, and no line crosses it. */
const GAP = 3;
/** A curve that leaves the others by so many times their usual height goes out of the picture. */
const FAR_OUT = 2;

/** Axes, series and legend's names; high wavenumbers are on the left, as usual. One far-off curve does not flatten the others. */
export function spectraOption({ curves, unit, pointedAt = [] }: Drawing) {
  const ends = curves.flatMap(({ wavenumbers }) => [wavenumbers[0], wavenumbers[wavenumbers.length - 1]]);
  const [least, most] = curves.length === 0 ? [500, 4000] : [Math.min(...ends), Math.max(...ends)];
  const [min, max] = heightOf(curves);
  const regions = REGIONS.filter(([, from, to]) => from >= least && to <= most);
  const series = curves.map((curve) => ({
    type: 'line' as const,
    name: curve.name,
    showSymbol: false,
    color: curve.color,
    lineStyle: { width: 1, type: curve.dashes ?? (curve.dashed ? ('dashed' as const) : ('solid' as const)) },
    data: withGaps(thin(curve), curve.wavenumbers),
  }));
  const marked = (name: string, data: object[], style: object, label: object) => ({
    type: 'line' as const,
    name,
    data: [],
    silent: true,
    markArea: { itemStyle: style, label: { color: INK.muted, fontSize: 11, ...label }, data },
  });
  return {
    names: [...new Set(curves.map(({ name }) => name))],
    xAxis: {
      ...axis('wavenumber, cm⁻¹'),
      ...{ inverse: true, min: 100 * Math.floor(least / 100), max: 100 * Math.ceil(most / 100), nameGap: 32 },
    },
    yAxis: { ...axis(unit), scale: true, nameGap: 45, min, max },
    series: [
      ...series,
      marked(
        'regions',
        regions.map(([name, from, to, position]) => [{ name, xAxis: from, label: { position } }, { xAxis: to }]),
        { color: INK.grid, opacity: 0.45 },
        {},
      ),
      marked(
        'differences',
        pointedAt.map(({ name, range: [from, to] }) => [{ name, xAxis: from }, { xAxis: to }]),
        { color: DOUBT.line, opacity: 0.35 },
        { position: 'insideTop', color: INK.text },
      ),
    ],
  };
}

/** For each curve, whether it goes out of the picture. */
export function outOfPicture(curves: readonly Pick<Curve, 'values'>[]): boolean[] {
  const [min, max] = heightOf(curves);
  return curves.map(({ values }) => {
    const [low, high] = extremes(values);
    return low < min || high > max;
  });
}

/** From the lowest to the highest value of all curves that are not far off the others. */
function heightOf(curves: readonly Pick<Curve, 'values'>[]): [min: number, max: number] {
  const spans = curves.map(({ values }) => extremes(values)).filter(([low]) => Number.isFinite(low));
  if (spans.length === 0) return [0, 1];
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
  const [low, high] = [middle(spans.map(([one]) => one)), middle(spans.map(([, one]) => one))];
  const reach = FAR_OUT * (high - low);
  const near = spans.filter(([a, b]) => a >= low - reach && b <= high + reach);
  const kept = near.length > 0 ? near : spans;
  const [min, max] = [Math.min(...kept.map(([one]) => one)), Math.max(...kept.map(([, one]) => one))];
  const step = 10 ** Math.floor(Math.log10(max - min || 1));
  const nice = (value: number) => Number(value.toPrecision(12));
  return [nice((step / 2) * Math.floor(min / (step / 2))), nice((step / 2) * Math.ceil(max / (step / 2)))];
}

const axis = (name: string) => ({
  type: 'value' as const,
  name,
  nameLocation: 'middle' as const,
  axisLine: { onZero: false },
});

type Point = [number, number | null];

/** The line is lifted where the scan has no points. */
function withGaps(points: Point[], wavenumbers: ArrayLike<number>): Point[] {
  const usual = Math.abs(wavenumbers[wavenumbers.length - 1] - wavenumbers[0]) / Math.max(1, points.length - 1);
  return points.flatMap((point, i): Point[] => {
    const before = points[i - 1];
    const lifted = before !== undefined && Math.abs(point[0] - before[0]) > GAP * usual;
    return lifted ? [[(point[0] + before[0]) / 2, null], point] : [point];
  });
}

function thin({ wavenumbers, values }: Curve): Point[] {
  const step = Math.max(1, Math.ceil(wavenumbers.length / COLUMNS));
  const points: Point[] = [];
  for (let from = 0; from < wavenumbers.length; from += step) {
    let low = from;
    let high = from;
    for (let i = from; i < Math.min(from + step, wavenumbers.length); i++) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    for (const i of low === high ? [low] : [Math.min(low, high), Math.max(low, high)])
      points.push([wavenumbers[i], Number.isNaN(values[i]) ? null : Number(values[i].toPrecision(6))]);
  }
  return points;
}

/**
 * Names without the words that all of them begin and end with; words end at a space, point, hyphen, underscore or slash. A
 * name alone stays as it is.
 */
export function shortNames(names: readonly string[]): string[] {
  if (new Set(names).size < 2) return [...names];
  const shared = (of: readonly string[]) => {
    let length = 0;
    while (of.every((name) => length < name.length - 1 && name[length] === of[0][length])) length++;
    while (length > 0 && !/[\s._/-]/.test(of[0][length - 1])) length--;
    return length;
  };
  const head = shared(names);
  const tails = names.map((name) => [...name.slice(head)].reverse().join(''));
  const tail = shared(tails);
  return names.map((name) => name.slice(head, name.length - tail));
}
