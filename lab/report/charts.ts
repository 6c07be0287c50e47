import * as echarts from 'echarts';
import { DETAIL_RESIDUAL_BAND } from '#spectra';
import type { Histogram, LadderFigures, Parts } from './figures.js';

export interface Line {
  name: string;
  points: [number, number][];
  dashed?: true;
  area?: true;
}
interface Axis {
  name: string;
  min?: number;
  max?: number;
  log?: true;
}

/** File names and pictures of the parts that were measured. Every one shows simulated stones. */
export function drawCharts(parts: Partial<Parts>): Record<string, string> {
  const pictures: Record<string, string> = {};
  const { ladders, scans, coverage, gauges } = parts;
  if (ladders) {
    const calibration = ladders[0];
    const at98 = calibration.rungs.find(({ rejectTarget }) => rejectTarget === 0.98)?.threshold.shipped ?? 0;
    pictures['scores.svg'] = lines(
      'Scores of simulated claims, calibration',
      { name: 'fused score', min: -0.5, max: 1 },
      { name: 'share a bin' },
      [
        { name: 'genuine', points: shares(calibration.genuine, -1, 1 / 40), area: true },
        { name: 'wrong', points: shares(calibration.wrong, -1, 1 / 40), area: true },
        upright('threshold at .98', at98, 0.2),
      ],
    );
    pictures['roc.svg'] = lines(
      'ROC, simulated populations',
      { name: 'wrong claims accepted', min: 0.0005, max: 1, log: true },
      { name: 'genuine claims confirmed', min: 0.6, max: 1 },
      ladders.map(({ population, roc }) => ({
        name: population,
        points: roc.map(({ wrong_accepted, genuine_confirmed }) => [wrong_accepted, genuine_confirmed]),
      })),
    );
    pictures['reliability.svg'] = lines(
      'Reliability of p_match_5050, simulated populations',
      { name: 'predicted', min: 0, max: 1 },
      { name: 'observed', min: 0, max: 1 },
      [
        diagonal('ideal', 0, 1),
        ...ladders.map(({ population, reliability }) => ({
          name: population,
          points: reliability.map(({ predicted, observed }): [number, number] => [predicted, observed]),
        })),
      ],
    );
    pictures['ladder.svg'] = lines(
      'Genuine claims confirmed, thresholds set on the population itself (simulated)',
      { name: 'reject target', min: 0.9, max: 0.99 },
      { name: 'confirmed', min: 0.92, max: 1 },
      byRung(ladders, ({ confirmed }) => confirmed.own.share),
    );
    pictures['transfer.svg'] = lines(
      'Wrong claims accepted at the shipped thresholds (simulated)',
      { name: 'accepted by the label', min: 0, max: 0.1 },
      { name: 'accepted', min: 0 },
      [
        diagonal('as labelled', 0, 0.1),
        ...ladders.map(({ population, rungs }) => ({
          name: population,
          points: rungs.map(({ rejectTarget, wrongAccepted }): [number, number] => [
            1 - rejectTarget,
            wrongAccepted.share,
          ]),
        })),
      ],
    );
    pictures['decoys.svg'] = lines(
      'Best of 29 wrong roughs rejected, calibration (simulated)',
      { name: 'reject target', min: 0.9, max: 0.99 },
      { name: 'rejected', min: 0, max: 1 },
      [
        ...byRung([calibration], ({ bestOf29 }) => bestOf29.random?.share ?? 0, '29 random'),
        ...byRung([calibration], ({ bestOf29 }) => bestOf29.nearest.share, '29 nearest of 100'),
      ],
    );
  }
  if (scans)
    pictures['scans.svg'] = lines(
      'Genuine claims confirmed by scans, rough x polish (simulated)',
      { name: 'reject target', min: 0.9, max: 0.99 },
      { name: 'confirmed', min: 0.7, max: 1 },
      scans.map(({ rough, polish, confirmed }) => ({
        name: `${rough} x ${polish}`,
        points: Object.entries(confirmed).map(([rung, { share }]) => [Number(rung), share]),
      })),
    );
  if (coverage)
    pictures['coverage.svg'] = bars(
      'Mean drop of the score without what lies above 4000 cm⁻¹ (simulated)',
      coverage
        .filter(({ short }) => short !== 'neither')
        .map(({ population, short, drop }) => [`${population}: ${short}`, drop.share]),
      0.03,
    );
  if (gauges) {
    const drawn = ['honest', 'moving-average:7', 'savitzky-golay:11:2', 'gaussian:2', 'low-rank:30'];
    pictures['gauges.svg'] = lines(
      'Detail residual of polish sides, calibration (simulated)',
      { name: 'detail residual', min: -2, max: 1 },
      { name: 'share a bin' },
      [
        ...drawn.flatMap((treatment) => {
          const found = gauges.find((one) => one.treatment === treatment && one.side === 'polish');
          return found ? [{ name: treatment, points: shares(found.histogram, -2, 0.1), area: true as const }] : [];
        }),
        upright('refused below', DETAIL_RESIDUAL_BAND.refused, 1),
      ],
    );
  }
  return pictures;
}

const byRung = (ladders: LadderFigures[], value: (rung: LadderFigures['rungs'][number]) => number, name?: string) =>
  ladders.map(({ population, rungs }) => ({
    name: name ?? population,
    points: rungs.map((rung): [number, number] => [rung.rejectTarget, value(rung)]),
  }));

const upright = (name: string, x: number, top: number): Line => ({
  name,
  points: [
    [x, 0],
    [x, top],
  ],
  dashed: true,
});
const diagonal = (name: string, from: number, to: number): Line => ({
  name,
  points: [
    [from, from],
    [to, to],
  ],
  dashed: true,
});

function shares(counts: Histogram, first: number, width: number): [number, number][] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count, i) => [first + (i + 0.5) * width, count / total]);
}

export function lines(title: string, x: Axis, y: Axis, series: Line[]): string {
  const axis = ({ name, min, max, log }: Axis) => ({
    type: log ? ('log' as const) : ('value' as const),
    name,
    min,
    max,
    nameLocation: 'middle' as const,
    axisLine: { onZero: false },
  });
  return render(title, {
    legend: { top: 30, itemGap: 22, itemWidth: 16, textStyle: { fontSize: 11 } },
    xAxis: { ...axis(x), nameGap: 30 },
    yAxis: { ...axis(y), nameGap: 45 },
    series: series.map(({ name, points, dashed, area }) => ({
      type: 'line' as const,
      name,
      showSymbol: false,
      lineStyle: { width: 1.5, type: dashed ? ('dashed' as const) : ('solid' as const) },
      ...(area ? { areaStyle: { opacity: 0.2 } } : {}),
      data: points.map(([a, b]) => [Number(a.toFixed(4)), Number(b.toFixed(5))]),
    })),
  });
}

/** @param lying with the bars along the x axis, for long names */
export function bars(title: string, values: [string, number][], goal: number, lying = false): string {
  const names = {
    type: 'category' as const,
    data: values.map(([name]) => name),
    inverse: lying,
    axisLabel: { interval: 0, fontSize: 10 },
  };
  const size = { type: 'value' as const };
  const at = { name: 'goal', ...(lying ? { xAxis: goal } : { yAxis: goal }) };
  return render(title, {
    ...(lying
      ? { xAxis: size, yAxis: names, grid: { left: 290, right: 30, top: 50, bottom: 30 } }
      : { xAxis: names, yAxis: size }),
    series: [
      {
        type: 'bar',
        data: values.map(([, value]) => Number(value.toFixed(5))),
        markLine: { symbol: 'none', data: [at] },
      },
    ],
  });
}

function render(title: string, option: echarts.EChartsCoreOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 760, height: 420 });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      title: { text: title, left: 'center', textStyle: { fontSize: 14 } },
      grid: { left: 70, right: 30, top: 70, bottom: 50 },
      ...option,
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}
