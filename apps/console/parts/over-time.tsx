/** Calls by hour or day, as they ended. */
import { useMemo } from 'react';
import type { CallBucket } from '#client';
import { DOUBT, GENUINE, INK, WRONG } from '#pictures';
import { count, localTime, ZONE } from '../format.js';
import { Chart } from './chart.js';

/** Days where hours would be too many to look at. */
export function bucketOf({ from, to }: { from?: string; to?: string }): 'hour' | 'day' {
  const span = (to ? Date.parse(to) : Date.now()) - (from ? Date.parse(from) : Date.now() - 86_400_000);
  return span > 4 * 86_400_000 ? 'day' : 'hour';
}

/** A time axis in the zone that all times of the console are in. */
export const TIME_AXIS = { type: 'time', name: ZONE, nameLocation: 'middle', nameGap: 24, splitLine: { show: false } };
export const timeTooltip = {
  trigger: 'axis',
  axisPointer: { label: { formatter: ({ value }: { value: number }) => localTime(new Date(value).toISOString()) } },
};

export function OverTime({ buckets }: { buckets: CallBucket[] }) {
  const option = useMemo(() => {
    const bars = (name: string, color: string, of: (bucket: CallBucket) => number) => ({
      ...{ name, type: 'bar', stack: 'calls', color, barCategoryGap: '10%' },
      data: buckets.map((bucket) => [Date.parse(bucket.from), of(bucket)]),
    });
    return {
      tooltip: timeTooltip,
      xAxis: TIME_AXIS,
      yAxis: { type: 'value', minInterval: 1 },
      // The legend takes two lines on a narrow screen.
      grid: { top: 56, bottom: 26 },
      series: [
        bars('match', GENUINE, ({ verdicts }) => verdicts.MATCH),
        bars('no match', WRONG, ({ verdicts }) => verdicts.NO_MATCH),
        bars('answered again', INK.axis, ({ repeats }) => repeats),
        bars('refused', DOUBT.line, ({ refused }) => refused),
      ],
    };
  }, [buckets]);
  const [first] = buckets;
  const calls = buckets.reduce((sum, bucket) => sum + bucket.calls, 0);
  return (
    <Chart
      height={220}
      label={`${count(calls)} calls from ${localTime(first.from)} on, by how they ended`}
      option={option}
    />
  );
}
