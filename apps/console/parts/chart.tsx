/** A chart in the project's colours, as light or dark as the page. */
import { Text, useComputedColorScheme } from '@mantine/core';
import type { EChartsCoreOption } from 'echarts/core';
import { useEffect, useRef, useState } from 'react';
import { INK, onDark, SERIES } from '#pictures';
import { ECHARTS, useFile } from '../files.js';

interface ChartProps {
  /** The picture in words, for those who do not see it. */
  label: string;
  option: EChartsCoreOption;
  height?: number;
}

type Drawn = ReturnType<typeof import('./echarts.js').init>;

export function Chart({ label, option, height = 280 }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<Drawn>();
  const dark = useComputedColorScheme('light') === 'dark';
  const { data: echarts, error } = useFile(ECHARTS);

  useEffect(() => {
    if (!echarts || !place.current) return;
    const drawn = echarts.init(place.current, null, { renderer: 'canvas' });
    const sized = new ResizeObserver(() => drawn.resize());
    sized.observe(place.current);
    setChart(drawn);
    return () => {
      sized.disconnect();
      drawn.dispose();
      setChart(undefined);
    };
  }, [echarts]);

  useEffect(() => {
    chart?.setOption(dark ? inDark(withDefaults(option)) : withDefaults(option), { notMerge: true });
  }, [chart, option, dark]);

  if (error && !echarts)
    return (
      <Text size="sm" c="dimmed" role="status">
        The chart is not drawn yet, as the service does not answer. It comes by itself.
      </Text>
    );
  return (
    <div
      ref={place}
      className={chart ? undefined : 'awaited'}
      role="img"
      aria-label={label}
      style={{ width: '100%', height }}
    />
  );
}

const AXIS = {
  nameTextStyle: { color: INK.muted },
  axisLabel: { color: INK.muted },
  axisLine: { lineStyle: { color: INK.axis } },
  splitLine: { lineStyle: { color: INK.grid } },
};

type Axis = Record<'axisLabel' | 'axisLine' | 'splitLine', object>;

function withDefaults({ xAxis, yAxis, grid, tooltip, legend, ...rest }: EChartsCoreOption): EChartsCoreOption {
  const axis = (one: Axis) => {
    const { axisLabel, axisLine, splitLine } = AXIS;
    return {
      ...AXIS,
      ...one,
      axisLabel: { ...axisLabel, ...one.axisLabel },
      axisLine: { ...axisLine, ...one.axisLine },
      splitLine: { ...splitLine, ...one.splitLine },
    };
  };
  return {
    animation: false,
    color: [...SERIES],
    textStyle: { fontFamily: 'system-ui, sans-serif', color: INK.text },
    grid: { left: 8, right: 16, top: 36, bottom: 8, containLabel: true, ...(grid as object) },
    legend: { top: 0, textStyle: { color: INK.text }, ...(legend as object) },
    // As HTML it would need styles that the page's policy does not let in, and would take names for markup.
    tooltip: {
      renderMode: 'richText',
      confine: true,
      backgroundColor: INK.paper,
      borderColor: INK.axis,
      textStyle: { color: INK.text },
      ...(tooltip as object),
    },
    ...(xAxis !== undefined && { xAxis: [xAxis as Axis].flat().map(axis) }),
    ...(yAxis !== undefined && { yAxis: [yAxis as Axis].flat().map(axis) }),
    ...rest,
  };
}

/** The same option with each colour of the palette as it is on a dark ground. */
function inDark<T>(value: T): T {
  if (typeof value === 'string') return onDark(value) as T;
  if (Array.isArray(value)) return value.map(inDark) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, inDark(of)])) as T;
}
