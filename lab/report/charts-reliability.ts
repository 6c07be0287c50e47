import { INK } from '#pictures';
import { drawChart, SMALL, TITLE } from '#pictures/chart';
import { wilson } from '#science/calibration/statistics';
import { whiskers } from '../../apps/cli/plot-scores.js';
import { colourOf } from './colours.js';
import type { LadderFigures } from './figures.js';

const BINS = 15;
const COLUMNS = 3;
const PANEL = { width: 270, height: 235 };

/**
 * Observed against predicted probability, one panel per population. A bin's interval is that of its genuine claims (Wilson,
 * 95%); the wrong pairs, far more, stay as they are.
 */
export function drawReliability(ladders: LadderFigures[], source?: string): string {
  const panels = ladders.map((ladder, i) => panel(ladder, i));
  const rows = Math.ceil(ladders.length / COLUMNS);
  const option = {
    title: [
      {
        ...TITLE,
        text: 'Reliability of p_match_5050, simulated populations',
        subtext: 'observed against predicted; error bars: 95% intervals; below: genuine claims in each of 15 bins',
      },
      ...panels.map(({ title }) => title),
    ],
    grid: panels.map(({ grid }) => grid),
    xAxis: panels.map(({ xAxis }) => xAxis),
    yAxis: panels.map(({ yAxis }) => yAxis),
    series: panels.flatMap(({ series }) => series),
  };
  return drawChart({ width: 30 + COLUMNS * PANEL.width, height: 80 + rows * PANEL.height, source, option });
}

function panel({ population, stones, wrong, reliability }: LadderFigures, at: number) {
  const left = 50 + (at % COLUMNS) * PANEL.width;
  const top = 90 + Math.floor(at / COLUMNS) * PANEL.height;
  const colour = colourOf(population);
  const bins = reliability.map(({ predicted, observed, weight }) => {
    const genuine = Math.round(2 * weight * observed * stones);
    const wrongShare = 2 * weight * (1 - observed);
    // Brought to as many genuine as wrong claims.
    const [low, high] = wilson(genuine, stones).map((share) => share / (share + wrongShare || 1));
    return { predicted, observed, genuine, low, high };
  });
  const axis = { type: 'value' as const, gridIndex: at, min: 0, max: 1, interval: 0.2, axisLabel: { fontSize: 9 } };
  // Room for the counts below 0, where no point lies.
  const room = {
    min: -0.2,
    axisLabel: { fontSize: 9, formatter: (value: number) => (value < 0 ? '' : String(value)) },
  };
  const on = { xAxisIndex: at, yAxisIndex: at };
  const pairs = wrong.reduce((sum, count) => sum + count, 0).toLocaleString('en');
  return {
    title: {
      text: population,
      subtext: `${stones.toLocaleString('en')} genuine, ${pairs} wrong`,
      left,
      top: top - 38,
      itemGap: 2,
      textStyle: { fontSize: 12 },
      subtextStyle: { ...SMALL, fontSize: 9 },
    },
    grid: { left, top, width: PANEL.width - 50, height: PANEL.height - 75 },
    xAxis: axis,
    yAxis: { ...axis, ...room },
    series: [
      {
        type: 'line' as const,
        ...on,
        symbol: 'none',
        lineStyle: { color: INK.axis, width: 1, type: 'dashed' as const },
        data: [
          [0, 0],
          [1, 1],
        ],
      },
      {
        type: 'scatter' as const,
        ...on,
        symbolSize: 5,
        itemStyle: { color: colour },
        data: bins.map(({ predicted, observed }) => [predicted, observed]),
      },
      whiskers(
        bins.map(({ predicted, low, high }) => [predicted, low, high] as const),
        colour,
        at,
      ),
      {
        type: 'scatter' as const,
        ...on,
        symbolSize: 0,
        itemStyle: { color: colour },
        silent: true,
        label: {
          show: true,
          position: 'top' as const,
          rotate: 90,
          align: 'left' as const,
          verticalAlign: 'middle' as const,
          fontSize: 8,
          color: INK.muted,
          formatter: ({ value }: { value: number[] }) => String(value[2]),
        },
        data: bins.map(({ predicted, genuine }) => [
          Number(((Math.min(Math.floor(predicted * BINS), BINS - 1) + 0.5) / BINS).toFixed(4)),
          -0.2,
          genuine,
        ]),
      },
    ],
  };
}
