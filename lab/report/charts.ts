import { INK, SERIES } from '#pictures';
import { drawChart, IN_PERCENT, IN_RUNGS, LINES, NAMED_AT_END, roomFor, textWidth } from '#pictures/chart';
import { DETAIL_RESIDUAL_BAND } from '#science/spectra/gauges/index';
import { plotScores } from '../../apps/cli/plot-scores.js';
import { treatmentName, UNPROCESSED } from '../gauges/study.js';
import { drawReliability } from './charts-reliability.js';
import { colourOf } from './colours.js';
import type { Histogram, LadderFigures, Parts } from './figures.js';
import { rung, withInterval } from './text.js';

export interface Line {
  name: string;
  points: [number, number][];
  dashed?: true;
  dotted?: true;
  area?: true;
  /** The population that the line shows: each has its colour. */
  population?: string;
  colour?: string;
}
interface Axis {
  name: string;
  /** Shares, shown in per cent. */
  share?: true;
  /** Rungs, which have two digits. */
  rung?: true;
  min?: number;
  max?: number;
  log?: true;
}

export const REJECT_TARGET = { name: 'reject target', rung: true, min: 0.9, max: 0.99 } as const;

/** File names and pictures of the parts that were measured. Every one shows simulated stones. @param source as in Picture */
export function drawCharts(parts: Partial<Parts>, source?: string): Record<string, string> {
  const pictures: Record<string, string> = {};
  const { ladders, scans, coverage, gauges } = parts;
  if (ladders) {
    const calibration = ladders[0];
    const at98 = calibration.rungs.find(({ rejectTarget }) => rejectTarget === 0.98);
    pictures['scores.svg'] = plotScores({
      title: 'Scores of simulated claims, calibration',
      genuine: calibration.genuine,
      wrong: calibration.wrong,
      thresholds: at98
        ? [
            {
              name:
                `shipped threshold at ${rung(0.98)}, ${at98.threshold.shipped.toFixed(4)}: ${withInterval(at98.confirmed.shipped)} ` +
                `of genuine confirmed, ${withInterval(at98.wrongAccepted, 2)} of wrong accepted`,
              at: at98.threshold.shipped,
            },
            {
              name: `own threshold at ${rung(0.98)}, ${at98.threshold.own.toFixed(4)}: ${withInterval(at98.confirmed.own)} of genuine confirmed`,
              at: at98.threshold.own,
            },
          ]
        : [],
      rungs: calibration.rungs.map(({ threshold }) => threshold.shipped),
      source,
    });
    pictures['roc.svg'] = lines(
      'ROC, simulated populations',
      { name: 'wrong claims accepted', share: true, min: 0.0005, max: 1, log: true },
      { name: 'genuine claims confirmed', share: true, min: 0.6, max: 1 },
      ladders.map(({ population, roc }) => ({
        name: population,
        population,
        points: roc.map(({ wrong_accepted, genuine_confirmed }) => [wrong_accepted, genuine_confirmed]),
      })),
      source,
    );
    pictures['reliability.svg'] = drawReliability(ladders, source);
    pictures['ladder.svg'] = lines(
      'Genuine claims confirmed, thresholds set on the population itself (simulated)',
      REJECT_TARGET,
      { name: 'confirmed', share: true, min: 0.92, max: 1 },
      byRung(ladders, ({ confirmed }) => confirmed.own.share),
      source,
    );
    pictures['transfer.svg'] = lines(
      'Wrong claims accepted at the shipped thresholds (simulated)',
      { name: 'accepted by the label', share: true, min: 0, max: 0.1 },
      { name: 'accepted', share: true, min: 0 },
      [
        diagonal('as labelled', 0, 0.1),
        ...ladders.map(({ population, rungs }) => ({
          name: population,
          population,
          points: rungs.map(({ rejectTarget, wrongAccepted }): [number, number] => [
            1 - rejectTarget,
            wrongAccepted.share,
          ]),
        })),
      ],
      source,
    );
    pictures['decoys.svg'] = lines(
      'Best of 29 wrong roughs rejected, calibration (simulated)',
      REJECT_TARGET,
      { name: 'rejected', share: true, min: 0, max: 1 },
      [
        ...byRung([calibration], ({ bestOf29 }) => bestOf29.random?.share ?? 0, '29 random'),
        ...byRung([calibration], ({ bestOf29 }) => bestOf29.nearest.share, '29 nearest of 100').map(
          (line): Line => ({ ...line, dashed: true }),
        ),
      ],
      source,
    );
  }
  if (scans)
    pictures['scans.svg'] = lines(
      'Genuine claims confirmed by scans, rough x polish (simulated)',
      REJECT_TARGET,
      { name: 'confirmed', share: true, min: 0.7, max: 1 },
      scans.map(({ rough, polish, confirmed }) => ({
        name: `${rough} x ${polish}`,
        points: Object.entries(confirmed).map(([rung, { share }]) => [Number(rung), share]),
      })),
      source,
    );
  if (coverage)
    pictures['coverage.svg'] = bars(
      'Mean drop of the score when the axis ends at 4000 cm⁻¹ (simulated)',
      coverage
        .filter(({ short }) => short !== 'neither')
        .map(({ population, short, drop }) => [`${population}: ${short}`, drop.share, colourOf(population)]),
      0.03,
      { source },
    );
  if (gauges) {
    const drawn = [UNPROCESSED, 'moving-average:7', 'savitzky-golay:11:2', 'gaussian:2', 'low-rank:30'];
    pictures['gauges.svg'] = lines(
      'Detail residual of polish sides, calibration (simulated)',
      { name: 'detail residual', min: -2, max: 1 },
      { name: 'share in a bin of 0.1', share: true },
      [
        ...drawn.flatMap((treatment) => {
          const found = gauges.find((one) => one.treatment === treatment && one.side === 'polish');
          return found
            ? [{ name: treatmentName(treatment), points: shares(found.histogram, -2, 0.1), area: true as const }]
            : [];
        }),
        upright('refused below', DETAIL_RESIDUAL_BAND.refused, 1),
      ],
      source,
    );
  }
  return pictures;
}

const byRung = (ladders: LadderFigures[], value: (rung: LadderFigures['rungs'][number]) => number, name?: string) =>
  ladders.map(({ population, rungs }) => ({
    name: name ?? population,
    population,
    points: rungs.map((rung): [number, number] => [rung.rejectTarget, value(rung)]),
  }));

const upright = (name: string, x: number, top: number): Line => ({
  name,
  points: [
    [x, 0],
    [x, top],
  ],
  dashed: true,
  colour: INK.text,
});
const diagonal = (name: string, from: number, to: number): Line => ({
  name,
  points: [
    [from, from],
    [to, to],
  ],
  dashed: true,
  colour: INK.axis,
});

function shares(counts: Histogram, first: number, width: number): [number, number][] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, i) => [first + (i + 0.5) * width, count / total]);
}

/** Lines are named at their ends; areas, and lines that end in one point, in a legend. */
export function lines(title: string, x: Axis, y: Axis, series: Line[], source?: string): string {
  const axis = ({ name, min, max, log, share, rung: ofRungs }: Axis) => ({
    type: log ? ('log' as const) : ('value' as const),
    name,
    min,
    max,
    nameLocation: 'middle' as const,
    axisLine: { onZero: false },
    ...(share ? IN_PERCENT : ofRungs ? IN_RUNGS : {}),
  });
  const names = new Set(series.map(({ name }) => name));
  const ends = new Set(series.map(({ points }) => forward(points).at(-1)?.[1]));
  const atEnds = ends.size > 1 && !series.some(({ area }) => area);
  const legend = { ...LINES, top: 30, left: 60, right: 10, itemGap: 12 };
  const more = atEnds ? -1 : rowsOf(names, WIDTH - legend.left - legend.right, legend) - 1;
  return render(title, source, {
    ...(atEnds ? {} : { legend }),
    grid: { ...GRID, top: 70 + 26 * more, ...(atEnds && { right: Math.ceil(roomFor(names)) }) },
    xAxis: { ...axis(x), nameGap: 30 },
    yAxis: {
      ...axis(
        unclipped(
          y,
          series.flatMap(({ points }) => points.map(([, value]) => value)),
        ),
      ),
      nameGap: 45,
    },
    series: series.map(({ name, points, dashed, dotted, area, population, colour }) => ({
      type: 'line' as const,
      name,
      symbol: 'none',
      color: population === undefined ? colour : colourOf(population),
      lineStyle: { width: 1.5, type: dashed ? ('dashed' as const) : dotted ? ('dotted' as const) : ('solid' as const) },
      ...(area ? { areaStyle: { opacity: 0.2 } } : {}),
      ...(atEnds ? NAMED_AT_END : {}),
      data: forward(points).map(([a, b]) => [Number(a.toFixed(4)), Number(b.toFixed(5))]),
    })),
  });
}

/** In the axis's direction, so that a line ends on the right. */
const forward = (points: Line['points']): Line['points'] =>
  points.length > 0 && points[0][0] > points[points.length - 1][0] ? points.toReversed() : points;

/** Rows that a legend takes. */
function rowsOf(
  names: Iterable<string>,
  width: number,
  { itemWidth, itemGap, textStyle }: typeof LINES & { itemGap: number },
): number {
  let [rows, used] = [1, 0];
  for (const name of names) {
    const wide = itemWidth + 5 + textWidth(name, textStyle.fontSize);
    if (used > 0 && used + wide > width) [rows, used] = [rows + 1, 0];
    used += wide + itemGap;
  }
  return rows;
}

/** An axis within its bounds, or beyond them if values lie there: a model may be worse than the picture's author expected. */
function unclipped({ min, max, ...axis }: Axis, values: number[]): Axis {
  const twentieth = (round: (value: number) => number, value: number) => round(20 * value) / 20;
  return {
    ...axis,
    min: min === undefined ? min : Math.min(min, twentieth(Math.floor, Math.min(...values))),
    max: max === undefined ? max : Math.max(max, twentieth(Math.ceil, Math.max(...values))),
  };
}

/**
 * @param lying with the bars along the x axis, for long names
 * @param mark name of the line at `goal`
 */
export function bars(
  title: string,
  values: [name: string, value: number, colour?: string][],
  goal: number,
  { lying = false, mark = 'goal', source }: { lying?: boolean; mark?: string; source?: string } = {},
): string {
  const names = {
    type: 'category' as const,
    data: values.map(([name]) => name),
    inverse: lying,
    axisLabel: { interval: 0, fontSize: 10 },
  };
  // The axis ends beyond the largest bar; a goal that no bar reaches must not lie outside.
  const beyond = values.every(([, value]) => value < goal);
  const size = { type: 'value' as const, ...(beyond ? { max: Math.ceil(120 * goal) / 100 } : {}) };
  const at = { name: mark, ...(lying ? { xAxis: goal } : { yAxis: goal }) };
  return render(title, source, {
    ...(lying
      ? { xAxis: size, yAxis: names, grid: { left: 290, right: 30, top: 50, bottom: 30 } }
      : { xAxis: names, yAxis: size }),
    series: [
      {
        type: 'bar',
        data: values.map(([, value, color = SERIES[0]]) => ({ value: Number(value.toFixed(4)), itemStyle: { color } })),
        // Within a lying bar the line at the goal crosses no number.
        label: {
          ...{ show: true, position: lying ? 'insideLeft' : 'top', fontSize: 10, color: lying ? INK.paper : INK.muted },
          formatter: ({ value }: { value: number }) => value.toFixed(3),
        },
        markLine: {
          symbol: 'none',
          label: { formatter: '{b}', position: lying ? 'start' : 'insideEndTop', color: INK.muted },
          lineStyle: { color: INK.muted },
          data: [at],
        },
      },
    ],
  });
}

const WIDTH = 760;
const GRID = { left: 70, right: 30, top: 60, bottom: 50 };

/** Room for the line with the source, px. */
const SOURCE = 16;

type Drawn = { grid?: typeof GRID } & Record<string, unknown>;

function render(title: string, source: string | undefined, { grid = GRID, ...option }: Drawn): string {
  const below = source === undefined ? 0 : SOURCE;
  const room = { ...grid, bottom: grid.bottom + below };
  return drawChart({ width: WIDTH, height: 420 + below, title, source, option: { ...option, grid: room } });
}
