/**
 * A score among those of its population: the claims held, those among them that are labelled as no match, wrong ones derived from
 * all, and the bar between.
 */
import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { PopulationScores } from '#client';
import { DOUBT, GENUINE, INK, WRONG } from '#pictures';
import { count, decimal, percent, rung } from '../format.js';
import { Chart } from './chart.js';

interface ScoreChartProps {
  scores: PopulationScores;
  /** Rung whose threshold is drawn. */
  target: number;
  /** The threshold that decided, where it is another than today's. */
  threshold?: number;
  /** A claim's score. */
  score?: number;
  /** A threshold that could be approved, with its interval. */
  proposed?: { threshold: number; interval: number[] };
}

export function ScoreChart({ scores, target, threshold, score, proposed }: ScoreChartProps) {
  const { from, width, genuine, labelled_no_match: labelled, wrong, rungs, claims, pairs, population } = scores;
  const wrongly = labelled.reduce((sum, one) => sum + one, 0);
  const bar = threshold ?? rungs.find(({ reject_target }) => reject_target === target)?.threshold;
  const option = useMemo(() => {
    const share = (counts: number[]) => {
      const all = counts.reduce((a, b) => a + b, 0) || 1;
      const edges = counts.map((one, i) => [from! + i * width!, one / all]);
      return [...edges, [from! + counts.length * width!, 0]];
    };
    const series = (name: string, counts: number[], color: string, dash: 'solid' | 'dashed' | 'dotted') => ({
      name,
      type: 'line',
      step: 'end',
      symbol: 'none',
      data: share(counts),
      lineStyle: { width: 1.5, type: dash },
      areaStyle: { opacity: 0.15 },
      color,
    });
    const line = (at: number | undefined, type: 'solid' | 'dashed') =>
      at === undefined ? [] : [{ xAxis: at, lineStyle: { color: INK.text, type, width: 1.5 }, label: { show: false } }];
    const lines = [...line(bar, 'dashed'), ...line(score ?? proposed?.threshold, 'solid')];
    const [low, high] = proposed?.interval ?? [];
    const markArea = {
      ...{ silent: true, itemStyle: { color: INK.axis, opacity: 0.2 } },
      data: proposed ? [[{ xAxis: low }, { xAxis: high }]] : [],
    };
    const held = genuine.map((one, i) => one - (labelled[i] ?? 0));
    const heldSeries = series('claims held', held, GENUINE, 'solid');
    return {
      tooltip: { trigger: 'axis', valueFormatter: (value: unknown) => percent(Number(value)) },
      xAxis: {
        type: 'value',
        name: 'score',
        nameLocation: 'middle',
        nameGap: 26,
        min: from,
        max: from! + genuine.length * width!,
        axisLabel: { formatter: (value: number) => value.toFixed(2), hideOverlap: true },
        splitLine: { show: false },
      },
      yAxis: {
        type: 'value',
        axisLine: { onZero: false },
        axisLabel: { formatter: (value: number) => percent(value, 0) },
      },
      legend: { itemWidth: 30, itemStyle: { opacity: 0 } },
      grid: { bottom: 26 },
      series: [
        { ...heldSeries, markLine: { symbol: 'none', silent: true, data: lines }, markArea },
        ...(wrongly > 0 ? [series('labelled no match', labelled, DOUBT.line, 'dotted')] : []),
        series('wrong claims, derived', wrong, WRONG, 'dashed'),
      ],
    };
  }, [from, width, genuine, labelled, wrongly, wrong, bar, score, proposed]);
  const said = [
    `Scores of ${population}: ${count(claims)} claims held and ${count(pairs)} pairs of distinct stones that stand for wrong claims`,
    bar === undefined ? '' : `, the threshold ${decimal(bar)} at rung ${rung(target)}`,
    score === undefined ? '' : `, and this claim’s score ${decimal(score)}`,
    proposed === undefined ? '' : `, and the proposed threshold ${decimal(proposed.threshold)}`,
  ].join('');
  return (
    <>
      <Chart label={said} option={option} />
      <Text size="sm" c="dimmed" className="figures" ta="center">
        Share of each by score. All {count(claims)} counted claims, taken as genuine unless labelled otherwise
        {wrongly > 0 && `; ${count(wrongly)} labelled no match stand apart`}.
        {score !== undefined && ` Solid: this claim, ${decimal(score)}.`}
        {proposed && ` Solid: proposed, ${decimal(proposed.threshold)}, shaded its 95% interval.`}
        {bar !== undefined && ` Dashed: threshold at ${rung(target)}, ${decimal(bar)}.`}
      </Text>
    </>
  );
}
