/** The bundle's readable page: each approval with its figures and pictures. Nothing in it decides anything. */
import { setImmediate } from 'node:timers/promises';
import * as echarts from 'echarts';
import { scoreOf } from '#calibration';
import type { CalibrationEvent, RungApproved } from '#domain';
import type { ModelEvidence } from './evidence.js';

const BINS = 80;

/** Names and reasons are people's text. */
const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

export async function reportOf(
  population: string,
  decisions: CalibrationEvent[],
  evidence: ReadonlyMap<string, ModelEvidence>,
): Promise<string> {
  const wrong = new Map<string, number[]>();
  for (const held of evidence.values()) wrong.set(held.model, await wrongScores(held));
  const rows = decisions.map((event, i) => {
    const { reject_target, operator, at, reason } = event.data;
    const cells = [i, event.type, reject_target.toFixed(2), operator, at, reason];
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  const sections = decisions.map((event, i) => {
    const held = event.type === 'RungApproved' ? evidence.get(event.data.proposal.model) : undefined;
    return event.type === 'RungApproved' && held ? approvalSection(event, i, held, wrong.get(held.model) ?? []) : '';
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Calibration of ${escaped(population)}</title>
<style>body{font:15px sans-serif;max-width:60em;margin:2em auto}td,th{padding:.2em .8em;text-align:left;vertical-align:top}</style>
<h1>Calibration of ${escaped(population)}</h1>
<p>Written from the event log. <code>node verify.mjs</code> in this folder recomputes every approval; the dry run and the pictures are for the eye.</p>
<table><tr><th>#</th><th>Decision</th><th>Rung</th><th>Operator</th><th>Time</th><th>Reason</th></tr>
${rows.join('\n')}
</table>
${sections.join('')}</html>
`;
}

function approvalSection({ data }: RungApproved, index: number, { counted }: ModelEvidence, wrong: number[]): string {
  const { proposal, reject_target } = data;
  const { threshold, interval, claims } = proposal;
  const behind = counted.slice(0, claims);
  const scores = behind.map(({ score }) => score);
  const answered = behind.filter(({ rung }) => rung === reject_target);
  const changed = answered.filter(({ score, verdict }) => score > threshold !== (verdict === 'MATCH'));
  const accept =
    proposal.expected_genuine_accept === null
      ? `none: ${proposal.expected_genuine_accept_reason}`
      : `${proposal.expected_genuine_accept} (standard error ${proposal.expected_genuine_accept_error})`;
  const figures: [string, unknown][] = [
    ['Threshold', threshold],
    ['95% interval', interval.join(' to ')],
    ['Claims, rough stones, polish stones', `${claims}, ${proposal.roughs}, ${proposal.polishes}`],
    ['Wrong pairs', proposal.pairs],
    ['Wrong claims above it in 1,000', proposal.wrong_per_1000],
    ['Expected genuine accept', accept],
    [
      'Dry run: the claims behind it',
      `${changed.length} of ${answered.length} answered at this rung would change their verdict`,
    ],
    ['Model', proposal.model],
    ['Evidence digest', proposal.evidence_digest],
    ['Proposal digest', proposal.digest],
  ];
  return `<h2>Decision ${index}: rung ${reject_target.toFixed(2)}, approved by ${escaped(data.operator)}</h2>
<table>${figures.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join('\n')}</table>
<h3>Scores of the claims, and of wrong pairs made from a sample of them</h3>
${distribution(`a${index}-`, scores, wrong, threshold)}
<h3>Scores of the claims in their order</h3>
${course(`b${index}-`, scores, threshold)}
`;
}

/** Scores of each sampled claim's polish against the other claims' roughs. */
async function wrongScores({ counted, sample, encoders }: ModelEvidence): Promise<number[]> {
  const taken = counted.filter(({ rough, polish }) => sample.has(rough.digest) && sample.has(polish.digest));
  const scores: number[] = [];
  for (const { polish, rough: own } of taken) {
    for (const { rough } of taken)
      if (rough.digest !== own.digest)
        scores.push(scoreOf(sample.get(polish.digest)!, sample.get(rough.digest)!, encoders.length));
    await setImmediate();
  }
  return scores;
}

function distribution(prefix: string, own: number[], wrong: number[], threshold: number): string {
  const [low, high] = [...own, ...wrong, threshold].reduce(
    ([least, most], score) => [Math.min(least, score), Math.max(most, score)],
    [1, -1],
  );
  const [from, to] = [Math.floor(low * 20) / 20, Math.ceil(high * 20) / 20];
  const shares = (scores: number[]): [number, number][] => {
    const counts = new Array<number>(BINS).fill(0);
    const width = (to - from) / BINS || 1;
    for (const score of scores) counts[Math.min(Math.max(Math.floor((score - from) / width), 0), BINS - 1)]++;
    return counts.map((count, bin) => [from + (bin + 0.5) * width, (100 * count) / (scores.length || 1)]);
  };
  const line = (name: string, scores: number[]) => ({
    type: 'line' as const,
    name,
    step: 'middle' as const,
    showSymbol: false,
    data: shares(scores),
  });
  return picture(prefix, {
    legend: {},
    xAxis: { type: 'value', name: 'score', min: from, max: to },
    yAxis: { type: 'value', name: '% of scores' },
    series: [{ ...line('claims', own), markLine: marked({ xAxis: threshold }) }, line('wrong pairs', wrong)],
  });
}

/** At most a thousand of them, evenly spaced. */
function course(prefix: string, scores: number[], threshold: number): string {
  const step = Math.max(1, Math.ceil(scores.length / 1000));
  const data = scores.map((score, i) => [i + 1, score]).filter((_, i) => i % step === 0);
  return picture(prefix, {
    xAxis: { type: 'value', name: 'claim' },
    yAxis: { type: 'value', name: 'score', scale: true },
    series: [{ type: 'scatter', symbolSize: 4, data, markLine: marked({ yAxis: threshold }) }],
  });
}

const marked = (at: { xAxis: number } | { yAxis: number }) => ({
  symbol: 'none',
  silent: true,
  label: { formatter: 'threshold' },
  data: [at],
});

/** @param prefix of the picture's ids, which echarts numbers through the life of the process: here from nought again */
function picture(prefix: string, option: echarts.EChartsCoreOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 860, height: 380 });
  try {
    chart.setOption({ animation: false, ...option });
    const ids = new Map<string, string>();
    return chart.renderToSVGString().replace(/\bzr\d+-[\w-]+/g, (id) => {
      if (!ids.has(id)) ids.set(id, `${prefix}${ids.size}`);
      return ids.get(id)!;
    });
  } finally {
    chart.dispose();
  }
}
