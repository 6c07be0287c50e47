/** Charts as SVG, with one set of defaults for the command line, the reports and the bundles. */
import * as echarts from 'echarts';
import { INK, inBothSchemes, SERIES } from './index.js';

export interface Picture {
  width: number;
  height: number;
  title?: string;
  /** The source of the data, in small type below. */
  source?: string;
  option: echarts.EChartsCoreOption;
}

const FONT = 'system-ui, sans-serif';

/** Width of a text, px, in the widest of the usual system fonts: the reader's font is not known here. */
export const textWidth = (text: string, fontSize: number): number =>
  fontSize * [...text].reduce((sum, letter) => sum + (letter < '\u1100' ? 0.6 : 1), 0);
// The library takes the width of an ideograph for the height of a line.
echarts.setPlatformAPI({
  measureText: (text, font) => ({ width: textWidth(text, Number(/([\d.]+)px/.exec(font ?? '')?.[1] ?? 12)) }),
});

export function drawChart({ width, height, title, source, option }: Picture): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    const { title: more = [], ...rest } = option as { title?: object | object[] };
    const texts = [
      ...(title === undefined ? [] : [{ ...TITLE, text: title }]),
      ...(source === undefined ? [] : [{ ...TITLE, top: undefined, bottom: 4, text: source, textStyle: SMALL }]),
      ...[more]
        .flat()
        .map((one) => ({ ...one, textStyle: { color: INK.text, ...((one as Option).textStyle as Option) } })),
    ];
    chart.setOption({
      animation: false,
      backgroundColor: INK.paper,
      color: [...SERIES],
      textStyle: { fontFamily: FONT, color: INK.text },
      title: texts,
      ...withInk(rest),
    });
    return inBothSchemes(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

/**
 * The picture with ids that begin with a prefix, for a page that holds several: ECharts numbers them through the life of the
 * process.
 */
export function withIds(svg: string, prefix: string): string {
  const ids = new Map<string, string>();
  return svg.replace(/\bzr\d+-[\w-]+/g, (id) => {
    if (!ids.has(id)) ids.set(id, `${prefix}${ids.size}`);
    return ids.get(id)!;
  });
}

export const SMALL = { fontSize: 11, fontWeight: 'normal' as const, color: INK.muted };
export const TITLE = {
  left: 12,
  top: 6,
  textStyle: { fontSize: 14, fontWeight: 600 as const, color: INK.text },
  subtextStyle: SMALL,
};

/** A legend that shows each line's colour and dash, without a symbol that covers it. */
export const LINES = { itemWidth: 34, itemStyle: { opacity: 0 }, textStyle: { fontSize: 11, color: INK.text } };

/** The name of a line at its end, moved where two would lie upon each other. */
export const NAMED_AT_END = {
  endLabel: { show: true, formatter: '{a}', fontSize: 11, color: 'inherit', distance: 6 },
  labelLayout: { moveOverlap: 'shiftY' as const },
};

/** Room for such names, px. */
export const roomFor = (names: Iterable<string>): number =>
  NAMED_AT_END.endLabel.distance +
  Math.max(...[...names].map((name) => textWidth(name, NAMED_AT_END.endLabel.fontSize)));

/**
 * The names of two distributions above their peaks: of the left one on its left, of the right one on its right, so that neither
 * lies upon the other. @param lines points of each @returns for each its `markPoint`
 */
export function namedAtPeaks(lines: { name: string; data: readonly [number, number][] }[]): object[] {
  const peaks = lines.map(({ data }) => data.reduce((most, point) => (point[1] > most[1] ? point : most)));
  const leftmost = peaks.reduce((least, [x], i) => (x < peaks[least][0] ? i : least), 0);
  return lines.map(({ name }, i) => ({
    symbol: 'circle',
    symbolSize: 0,
    silent: true,
    data: [{ name, coord: peaks[i] }],
    label: {
      ...{ formatter: '{b}', fontSize: 11, color: 'inherit', distance: 10, offset: [0, -8] },
      ...{ position: i === leftmost ? 'left' : 'right', textBorderColor: INK.paper, textBorderWidth: 3 },
    },
  }));
}

/** Labels of an axis of rungs. */
export const IN_RUNGS = { axisLabel: { formatter: (value: number) => value.toFixed(2) } };

/** Labels of an axis of shares. */
export const IN_PERCENT = { axisLabel: { formatter: (value: number) => `${Number((100 * value).toFixed(2))}%` } };

type Option = Record<string, unknown>;

/** Axes and legends in the ink of all pictures. */
function withInk(option: Option): Option {
  const each = (of: unknown, ink: (one: Option) => Option) =>
    of === undefined ? undefined : Array.isArray(of) ? of.map(ink) : ink(of as Option);
  const axis = (one: Option): Option => ({
    ...one,
    nameTextStyle: { color: INK.muted, fontSize: 12, ...(one.nameTextStyle as Option) },
    axisLabel: { color: INK.muted, ...(one.axisLabel as Option) },
    axisLine: { lineStyle: { color: INK.axis }, ...(one.axisLine as Option) },
    axisTick: { lineStyle: { color: INK.axis }, ...(one.axisTick as Option) },
    splitLine: { lineStyle: { color: INK.grid }, ...(one.splitLine as Option) },
  });
  const legend = (one: Option): Option => ({ ...one, textStyle: { color: INK.text, ...(one.textStyle as Option) } });
  return {
    ...option,
    ...(option.xAxis !== undefined && { xAxis: each(option.xAxis, axis) }),
    ...(option.yAxis !== undefined && { yAxis: each(option.yAxis, axis) }),
    ...(option.legend !== undefined && { legend: each(option.legend, legend) }),
  };
}
