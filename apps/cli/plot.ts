import { INK, SERIES } from '#pictures';
import { drawChart, LINES, NAMED_AT_END, roomFor } from '#pictures/chart';

export interface Curve {
  name: string;
  wavenumbers: ArrayLike<number>;
  absorbance: ArrayLike<number>;
}

/** More points than a plot this wide can show are thinned to the extremes of each step. */
const COLUMNS = 1500;

/** Regions of a diamond's spectrum, cm^-1. */
const REGIONS: [name: string, from: number, to: number][] = [
  ['nitrogen', 900, 1400],
  ['two phonons', 1680, 2680],
  ['C-H', 2800, 3120],
  ['three phonons', 3200, 4000],
];

/** A step this many times as wide as the usual one is a gap, and no line crosses it. */
const GAP = 3;

/**
 * Spectra over each other as an SVG picture: absorbance against wavenumber, high wavenumbers on the left. Scans of one stone
 * share a colour where their names tell the sides; the polish is dashed.
 */
export function plotSpectra(curves: Curve[]): string {
  const stones: string[] = [];
  const sideOf = ({ name }: Curve) => {
    const [, stone = name, side = ''] = /^(.+)[_.-](rough|polish)/i.exec(name) ?? [];
    return { stone, side: side.toLowerCase() };
  };
  const whole = (curve: Curve) => Object.values(sideOf(curve)).join(' ');
  const series = curves.map((curve) => {
    const { stone, side } = sideOf(curve);
    if (!stones.includes(stone)) stones.push(stone);
    // Scans of one side look the same and have one entry in the legend.
    const scans = curves.filter((other) => whole(other) === whole(curve)).length;
    return {
      type: 'line' as const,
      name: scans === 1 ? curve.name : `${whole(curve)}, ${scans} scans`,
      showSymbol: false,
      color: SERIES[stones.indexOf(stone) % SERIES.length],
      lineStyle: { width: 1, type: side === 'polish' ? ('dashed' as const) : ('solid' as const) },
      data: withGaps(thin(curve), curve.wavenumbers),
    };
  });
  const spans = curves.flatMap(({ wavenumbers }) => [wavenumbers[0], wavenumbers[wavenumbers.length - 1]]);
  const [least, most] = [Math.min(...spans), Math.max(...spans)];
  const shown = REGIONS.filter(([, from, to]) => from >= least && to <= most);
  return drawChart({
    width: 1200,
    height: 576,
    title: `${curves.length === 1 ? '1 scan' : `${curves.length} scans`} as read`,
    source: 'mvs inspect',
    option: {
      legend: {
        ...LINES,
        data: [...new Set(series.map(({ name }) => name))],
        type: 'scroll',
        orient: 'vertical',
        top: 30,
        right: 10,
        width: 230,
        formatter: shorten,
      },
      grid: { left: 70, right: 270, top: 66, bottom: 76 },
      xAxis: {
        ...axis('wavenumber, cm⁻¹'),
        ...{ inverse: true, min: 100 * Math.floor(least / 100), max: 100 * Math.ceil(most / 100), nameGap: 32 },
      },
      yAxis: { ...axis('absorbance'), scale: true, nameGap: 45 },
      series: [
        ...series,
        {
          type: 'line',
          name: 'regions',
          data: [],
          silent: true,
          markArea: {
            itemStyle: { color: INK.grid, opacity: 0.45 },
            label: { color: INK.muted, fontSize: 11, position: 'top' },
            data: shown.map(([name, from, to]) => [{ name, xAxis: from }, { xAxis: to }]),
          },
        },
      ],
    },
  });
}

/** Losses by epoch as an SVG picture. */
export function plotLosses(curves: { name: string; points: [number, number][] }[]): string {
  return drawChart({
    width: 900,
    height: 460,
    title: 'Loss by epoch',
    source: 'mvs train',
    option: {
      grid: { left: 70, right: Math.ceil(roomFor(curves.map(({ name }) => name))), top: 50, bottom: 76 },
      xAxis: { ...axis('epoch'), nameGap: 32, minInterval: 1 },
      yAxis: { ...axis('loss, nats per stone'), scale: true, nameGap: 45 },
      series: curves.map(({ name, points }) => ({
        type: 'line',
        name,
        showSymbol: false,
        ...NAMED_AT_END,
        data: points.filter(([, loss]) => Number.isFinite(loss)),
      })),
    },
  });
}

const axis = (name: string) => ({
  type: 'value' as const,
  name,
  nameLocation: 'middle' as const,
  axisLine: { onZero: false },
});

/** The line is lifted where the scan has no points. */
function withGaps(points: [number, number][], wavenumbers: ArrayLike<number>): ([number, number] | [number, null])[] {
  const usual = Math.abs(wavenumbers[wavenumbers.length - 1] - wavenumbers[0]) / Math.max(1, points.length - 1);
  return points.flatMap((point, i) => {
    const before = points[i - 1];
    const lifted = before !== undefined && Math.abs(point[0] - before[0]) > GAP * usual;
    return lifted ? [[(point[0] + before[0]) / 2, null] as [number, null], point] : [point];
  });
}

function thin({ wavenumbers, absorbance }: Curve): [number, number][] {
  const step = Math.max(1, Math.ceil(wavenumbers.length / COLUMNS));
  const points: [number, number][] = [];
  for (let from = 0; from < wavenumbers.length; from += step) {
    let low = from;
    let high = from;
    for (let i = from; i < Math.min(from + step, wavenumbers.length); i++) {
      if (absorbance[i] < absorbance[low]) low = i;
      if (absorbance[i] > absorbance[high]) high = i;
    }
    for (const i of low === high ? [low] : [Math.min(low, high), Math.max(low, high)])
      points.push([wavenumbers[i], absorbance[i]]);
  }
  return points;
}

/** Both ends of a long name: stones differ at the head, scans at the tail. */
const shorten = (name: string): string => (name.length <= 29 ? name : `${name.slice(0, 14)}…${name.slice(-14)}`);
