import { GENUINE, INK, SERIES, WRONG } from '#pictures';
import { drawChart, IN_PERCENT, LINES, NAMED_AT_END, roomFor } from '#pictures/chart';
import { wilson } from '#science/calibration/statistics';
import { SCORE_BINS } from '../roc.js';

export interface ScorePlot {
  title: string;
  /** Counts of scores, as `scoreHistogram` gives them. */
  genuine: number[];
  wrong: number[];
  thresholds: { name: string; at: number }[];
  /** Thresholds of all rungs, drawn thin. */
  rungs: number[];
  source?: string;
}

/** Lines of the thresholds, in their order; they differ by dash too. */
const THRESHOLDS = [
  { color: INK.text, type: 'solid' as const },
  { color: SERIES[2], type: 'dashed' as const },
];

/**
 * Distributions of genuine and wrong claims' scores with thresholds, as an SVG picture. Genuine bins have Wilson's 95%
 * intervals; wrong pairs share stones, so their counts alone give no interval.
 */
export function plotScores({ title, genuine, wrong, thresholds, rungs, source }: ScorePlot): string {
  const width = 2 / SCORE_BINS;
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  const distribution = (name: string, counts: number[], color: string) => ({
    type: 'line' as const,
    name,
    step: 'middle' as const,
    symbol: 'none',
    itemStyle: { color },
    lineStyle: { width: 1.5, color },
    areaStyle: { color, opacity: 0.2 },
    data: counts.map((count, bin) => [place(bin), share(count, total(counts))]),
  });
  const place = (bin: number) => round(-1 + (bin + 0.5) * width);
  const upright = (name: string, places: number[], color: string, line: object) => ({
    type: 'line' as const,
    name,
    symbol: 'none',
    data: [],
    itemStyle: { color },
    lineStyle: { color, ...line },
    markLine: {
      symbol: 'none',
      silent: true,
      label: { show: false },
      lineStyle: { color, ...line },
      data: places.map((xAxis) => ({ xAxis: round(xAxis) })),
    },
  });
  const count = (counts: number[]) => total(counts).toLocaleString('en');
  const filled = [...genuine.keys(), ...wrong.keys()].filter((bin) => genuine[bin] + wrong[bin] > 0).map(place);
  const option = {
    legend: { ...LINES, top: 34, left: 70, orient: 'vertical', itemGap: 4 },
    grid: { left: 70, right: 30, top: 150, bottom: 64 },
    xAxis: {
      ...axis('fused score'),
      nameGap: 30,
      min: Math.floor(Math.min(...filled, ...rungs) * 10) / 10,
      max: Math.ceil(Math.max(...filled, ...rungs) * 10) / 10,
    },
    yAxis: { ...axis(`share in a bin of ${width}`), ...IN_PERCENT, nameGap: 45, min: 0 },
    series: [
      distribution(`genuine: ${count(genuine)} claims (bars: 95% intervals)`, genuine, GENUINE),
      distribution(`wrong: ${count(wrong)} pairs of different stones`, wrong, WRONG),
      ...thresholds.map(({ name, at }, i) => upright(name, [at], THRESHOLDS[i].color, { ...THRESHOLDS[i], width: 2 })),
      upright('shipped thresholds of all rungs, 0.90 to 0.99', rungs, INK.axis, { width: 0.7, type: 'dotted' }),
      whiskers(
        genuine.flatMap((some, bin) => {
          const [low, high] = wilson(some, total(genuine));
          return some > 0 ? [[place(bin), low, high] as const] : [];
        }),
        GENUINE,
      ),
    ],
  };
  return drawChart({ width: 900, height: 494, title, source, option });
}

/** Upright intervals: place, lower and upper end. */
export const whiskers = (intervals: (readonly [x: number, low: number, high: number])[], stroke: string, at = 0) => ({
  type: 'custom' as const,
  xAxisIndex: at,
  yAxisIndex: at,
  silent: true,
  data: intervals.map((interval) => interval.map(round)),
  encode: { x: 0, y: [1, 2] },
  renderItem: (_: unknown, api: { value(i: number): unknown; coord(of: unknown[]): number[] }) => {
    const [x1, y1] = api.coord([api.value(0), api.value(1)]);
    const [x2, y2] = api.coord([api.value(0), api.value(2)]);
    return { type: 'line' as const, shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth: 1 } };
  },
});

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
const round = (value: number) => Number(value.toFixed(5));
const share = (some: number, of: number) => (of === 0 ? 0 : round(some / of));
