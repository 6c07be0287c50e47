import * as echarts from 'echarts';

export interface Curve {
  name: string;
  wavenumbers: ArrayLike<number>;
  absorbance: ArrayLike<number>;
}

/** More points than a plot this wide can show are thinned to the extremes of each step. */
const COLUMNS = 1500;

/** Spectra over each other as an SVG picture: absorbance against wavenumber, high wavenumbers on the left. */
export function plotSpectra(curves: Curve[]): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 1200, height: 560 });
  try {
    chart.setOption({
      animation: false,
      legend: { type: 'scroll', orient: 'vertical', top: 10, right: 10, width: 230, formatter: shorten },
      grid: { left: 70, right: 260, top: 30, bottom: 60 },
      xAxis: {
        type: 'value',
        name: 'wavenumber, cm⁻¹',
        nameLocation: 'middle',
        nameGap: 32,
        inverse: true,
        scale: true,
        axisLine: { onZero: false },
      },
      yAxis: { type: 'value', name: 'absorbance', scale: true, axisLine: { onZero: false } },
      series: curves.map((curve) => ({
        type: 'line',
        name: curve.name,
        showSymbol: false,
        lineStyle: { width: 1 },
        data: thin(curve),
      })),
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** Losses by epoch as an SVG picture. */
export function plotLosses(curves: { name: string; points: [number, number][] }[]): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 460 });
  try {
    chart.setOption({
      animation: false,
      legend: { top: 10 },
      grid: { left: 70, right: 30, top: 50, bottom: 60 },
      xAxis: { type: 'value', name: 'epoch', nameLocation: 'middle', nameGap: 32, minInterval: 1 },
      yAxis: { type: 'value', name: 'loss, nats a stone', scale: true },
      series: curves.map(({ name, points }) => ({
        type: 'line',
        name,
        showSymbol: false,
        data: points.filter(([, loss]) => Number.isFinite(loss)),
      })),
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
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
