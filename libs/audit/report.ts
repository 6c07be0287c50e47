/** The bundle's readable page: each approval with its figures and pictures. Nothing in it decides anything. */
import { setImmediate } from 'node:timers/promises';
import type { CalibrationEvent, RungApproved, ScorerApproved, ScorerWithdrawn } from '#calibration/events';
import type { RecordedEvent } from '#kit/log/port';
import type { Expected } from '#labels/events';
import { INK } from '#pictures';
import { drawChart, IN_RUNGS, NAMED_AT_END, namedAtPeaks, roomFor, withIds } from '#pictures/chart';
import { scoreOf } from '#science/calibration/evidence';
import { quantile } from '#science/numerics/quantile';
import type { Counted, ModelEvidence } from './evidence.js';

const BINS = 80;

/** Names and reasons are people's text. */
const escaped = (text: unknown): string => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

export async function reportOf(
  population: string,
  decisions: (CalibrationEvent & RecordedEvent)[],
  evidence: ReadonlyMap<string, ModelEvidence>,
  chainRoot: string,
): Promise<string> {
  const wrong = new Map<string, number[]>();
  for (const held of evidence.values()) wrong.set(held.model, await wrongScores(held));
  const rows = decisions.map((event, i) => {
    const { reject_target, operator, at, reason } = event.data as Partial<RungApproved['data']>;
    const rung = reject_target?.toFixed(2) ?? '';
    const cells = [i, event.type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase(), rung, operator, at, reason];
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  const sections = decisions.map((event, i) => {
    if (event.type === 'ScorerApproved') return scorerSection(event, i, decisions.slice(i + 1));
    const held = event.type === 'RungApproved' ? evidence.get(event.data.proposal.model) : undefined;
    return event.type === 'RungApproved' && held ? approvalSection(event, i, held, wrong.get(held.model) ?? []) : '';
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Calibration of ${escaped(population)}</title>
<style>:root{color-scheme:light dark}body{font:15px system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}table{display:block;overflow-x:auto}td,th{padding:.2em .8em .2em 0;text-align:left;vertical-align:top}.facts td{overflow-wrap:anywhere}.facts th{min-width:7em}figure{margin:0;overflow-x:auto}.root{overflow-wrap:anywhere;font:600 1.3em ui-monospace,monospace;letter-spacing:.04em}</style>
<h1>Calibration of ${escaped(population)}</h1>
<p>Written from the event log. <code>node verify.mjs</code> in this folder recomputes every approval; the dry run and the pictures are for the eye. Numbers are rounded here, and whole in decisions.json.</p>
<p>A <b>rung</b> is a promise: at 0.98 a threshold rejects 98 of 100 wrong claims. A claim whose <b>score</b> is above the threshold is a MATCH. A <b>wrong pair</b> is a polish with a rough that it does not come from, made of the population's own claims. <b>Expected genuine accept</b> is the share of true claims above the threshold.</p>
<p>Chain root, to compare with the one that you noted or that <code>verify.mjs</code> prints:</p>
<p class="root">${chainRoot.match(/.{1,8}/g)?.join(' ') ?? ''}</p>
<table><tr><th>#</th><th>Decision</th><th>Rung</th><th>Operator</th><th>Time</th><th>Reason</th></tr>
${rows.join('\n')}
</table>
${sections.join('')}</html>
`;
}

/** A scorer as its approval has it: who, when, what of, and what it brought by the population's own claims. */
function scorerSection({ data }: ScorerApproved, index: number, after: CalibrationEvent[]): string {
  const { proposal, operator, requested_by, at, reason } = data;
  const { model, claims, groups, trimmed, curve, rungs } = proposal;
  const end = after.find((event) => endsScorer(event, model));
  const ended =
    end === undefined
      ? 'It is in force, as long as its model is live.'
      : `It ended ${end.data.at}: ${end.type === 'ScorerWithdrawn' ? 'withdrawn' : 'superseded by the next one'} by ${end.data.operator}.`;
  const asked = requested_by === null ? '' : `, as ${requested_by} had asked`;
  const facts: [string, unknown][] = [
    ['Approved', `by ${operator}${asked}, ${at}: ${reason}`],
    ['How long', ended],
    ['Fitted to', `${claims} counted claims; the newest of them make ${groups} groups of distinct stones`],
    ['Left out', `${trimmed} claims that look wrong`],
    ['Probabilities', curve === 'own' ? "a curve of the population's own" : 'the curve that came with the model'],
    ['Scorer', proposal.scorer],
    ['Model', model],
    ['Evidence digest', proposal.evidence_digest],
    ['Proposal digest', proposal.digest],
  ];
  const columns = ['confirmed_raw', 'confirmed_mapped', 'wrong_raw', 'wrong_mapped'] as const;
  const row = (rung: (typeof rungs)[number]) =>
    `<tr><td>${rung.reject_target.toFixed(2)}</td>${columns.map((column) => `<td>${percent(rung[column])}</td>`).join('')}</tr>`;
  const line = (name: string, column: (typeof columns)[number]) => ({
    ...{ type: 'line' as const, name, showSymbol: true, ...NAMED_AT_END },
    data: rungs.flatMap(({ reject_target, [column]: share }) => (share === null ? [] : [[reject_target, 100 * share]])),
  });
  const confirmed = [line('raw', 'confirmed_raw'), line('by the scorer', 'confirmed_mapped')];
  return `<h2>Decision ${index}: a scorer of the population's own, approved by ${escaped(operator)}</h2>
<p>From then on a claim was scored by what the population's own stones have in common and how they differ. The figures are of its
own claims, none of them scored by what the scorer learnt from it, and no label had a say. "Raw" is without the scorer. "Confirmed" is
the share of the claims above the threshold that their own wrong pairs give, "wrong" the share of those pairs above the threshold that
came with the model, for raw scores or for a scorer.</p>
<table class="facts">${facts.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join('\n')}</table>
<table><tr><th>Rung</th><th>Confirmed raw</th><th>Confirmed by the scorer</th><th>Wrong raw</th><th>Wrong by the scorer</th></tr>
${rungs.map(row).join('\n')}
</table>
<h3>Claims confirmed at each rung, raw and by the scorer</h3>
${picture(`s${index}-`, {
  grid: { ...GRID, right: Math.ceil(roomFor(confirmed.map(({ name }) => name))) },
  xAxis: { ...axisOf('rung'), ...IN_RUNGS, min: 0.9, max: 0.99 },
  yAxis: { ...axisOf('confirmed'), ...PERCENT, scale: true },
  series: confirmed,
})}
`;
}

/** The next decision about a model's scorers. */
const endsScorer = (event: CalibrationEvent, model: string): event is ScorerApproved | ScorerWithdrawn =>
  (event.type === 'ScorerApproved' && event.data.proposal.model === model) ||
  (event.type === 'ScorerWithdrawn' && event.data.model === model);

function approvalSection(
  { data, position }: RungApproved & RecordedEvent,
  index: number,
  { counted, later }: ModelEvidence,
  wrong: number[],
): string {
  const { proposal, reject_target, scorer } = data;
  const { threshold, interval, claims } = proposal;
  const behind = counted.slice(0, claims);
  const scores = behind.map(({ score }) => score);
  const after = [...counted.slice(claims).map(({ score }) => score), ...later];
  const label = ({ labels }: Counted) => labels.findLast((one) => one.position < position)?.expected;
  const labelled = (of: Counted[]) =>
    `${of.length} (${of.filter((one) => label(one) === 'match').length} labelled match, ${of.filter((one) => label(one) === 'no_match').length} no match)`;
  const answered = behind.filter(({ rung }) => rung === reject_target);
  const toMatch = answered.filter(({ score, verdict }) => score > threshold && verdict !== 'MATCH');
  const toNone = answered.filter(({ score, verdict }) => score <= threshold && verdict === 'MATCH');
  const confirmed = (expected: Expected) => {
    const those = behind.filter((one) => label(one) === expected);
    return `${those.filter(({ score }) => score > threshold).length} of ${those.length}`;
  };
  const accept =
    proposal.expected_genuine_accept === null
      ? `none: ${proposal.expected_genuine_accept_reason}`
      : `${percent(proposal.expected_genuine_accept)} (standard error ${percent(proposal.expected_genuine_accept_error)})`;
  const dryRun: [string, unknown][] = [
    [
      'Dry run: the claims behind it',
      `of ${answered.length} answered at this rung ${labelled(toMatch)} would become MATCH and ${labelled(toNone)} NO_MATCH`,
    ],
    [
      'Labels at the time of the approval',
      `above the threshold are ${confirmed('match')} claims labelled match and ${confirmed('no_match')} labelled no match`,
    ],
  ];
  const figures: [string, unknown][] = [
    ['Threshold', rounded(threshold)],
    ['95% interval of the threshold', interval.map(rounded).join(' to ')],
    ['Claims, rough stones, polish stones', `${claims}, ${proposal.roughs}, ${proposal.polishes}`],
    ['Wrong pairs', proposal.pairs.toLocaleString('en')],
    ['Wrong pairs above the threshold, of 1,000', proposal.wrong_per_1000.toFixed(1)],
    ['Expected genuine accept', accept],
    // Raw scores say nothing of a threshold in a scorer's.
    ...(scorer ? [] : dryRun),
    ['Model', proposal.model],
    ['Evidence digest', proposal.evidence_digest],
    ['Proposal digest', proposal.digest],
  ];
  const head = `<h2>Decision ${index}: rung ${reject_target.toFixed(2)}, approved by ${escaped(data.operator)}</h2>
<table class="facts">${figures.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join('\n')}</table>
`;
  if (scorer)
    return `${head}<p>The threshold is in the scores of the population's own scorer ${escaped(scorer)}. Pictures of raw scores would mislead.</p>
`;
  return `${head}<h3>Scores of the claims, and of wrong pairs made from a sample of them</h3>
${distribution(`a${index}-`, { claims: scores, 'wrong pairs': wrong }, threshold)}
<h3>Scores of the claims in their order</h3>
${course(`b${index}-`, scores, threshold)}
<h3>Drift: the claims behind it, and those after them</h3>
${
  after.length === 0
    ? '<p>No claim came after them, as far as the last decision.</p>'
    : `<p>${after.length} claims after them, as far as the last decision: median score ${median(after)}; of those behind it ${median(scores)}.</p>
${distribution(`c${index}-`, { 'behind it': scores, 'after them': after }, threshold)}`
}
`;
}

const percent = (share: number | null) => (share === null ? 'not known' : `${(100 * share).toFixed(1)}%`);
/** As many digits as mean something; decisions.json has them all. */
const rounded = (value: number) => String(Number(value.toFixed(4)));

const median = (scores: number[]): string => quantile(Float64Array.from(scores).sort(), 0.5).toFixed(4);

/** Scores of each sampled claim's polish against the other claims' roughs. Few scan sets may make many claims. */
async function wrongScores({ counted, sample, encoders }: ModelEvidence): Promise<number[]> {
  const taken = counted.filter(({ rough, polish }) => sample.has(rough.digest) && sample.has(polish.digest));
  const roughs = [...new Set(taken.map(({ rough }) => rough.digest))];
  const scores: number[] = [];
  for (const digest of new Set(taken.map(({ polish }) => polish.digest))) {
    const vectors = sample.get(digest)!;
    const against = new Map(roughs.map((rough) => [rough, scoreOf(vectors, sample.get(rough)!, encoders.length)]));
    for (const { polish, rough: own } of taken)
      if (polish.digest === digest)
        for (const { rough } of taken) if (rough.digest !== own.digest) scores.push(against.get(rough.digest)!);
    await setImmediate();
  }
  return scores;
}

/** Shares of scores by bin, a line for each name, which stands at its peak. */
function distribution(prefix: string, named: Record<string, number[]>, threshold: number): string {
  const [low, high] = [...Object.values(named).flat(), threshold].reduce(
    ([min, max], score) => [Math.min(min, score), Math.max(max, score)],
    [1, -1],
  );
  const [from, to] = [Math.floor(low * 20) / 20, Math.ceil(high * 20) / 20];
  const shares = (scores: number[]): [number, number][] => {
    const counts = new Array<number>(BINS).fill(0);
    const width = (to - from) / BINS || 1;
    for (const score of scores) counts[Math.min(Math.max(Math.floor((score - from) / width), 0), BINS - 1)]++;
    return counts.map((count, bin) => [from + (bin + 0.5) * width, (100 * count) / (scores.length || 1)]);
  };
  const lines = Object.entries(named).map(([name, scores]) => ({ name, data: shares(scores) }));
  const names = namedAtPeaks(lines);
  return picture(prefix, {
    grid: { ...GRID, right: Math.ceil(roomFor(Object.keys(named))) },
    xAxis: { ...axisOf('score'), min: from, max: to },
    yAxis: { ...axisOf('share of the scores'), ...PERCENT },
    series: lines.map((line, i) => ({
      ...{ type: 'line' as const, step: 'middle' as const, showSymbol: false, ...line, markPoint: names[i] },
      ...(i === 0 && { markLine: marked({ xAxis: threshold }) }),
    })),
  });
}

/** At most a thousand of them, evenly spaced. */
function course(prefix: string, scores: number[], threshold: number): string {
  const step = Math.max(1, Math.ceil(scores.length / 1000));
  const data = scores.map((score, i) => [i + 1, score]).filter((_, i) => i % step === 0);
  return picture(prefix, {
    xAxis: axisOf('claim'),
    yAxis: { ...axisOf('score'), scale: true },
    series: [{ type: 'scatter', symbolSize: 4, data, markLine: marked({ yAxis: threshold }) }],
  });
}

const axisOf = (name: string) => ({
  ...{ type: 'value' as const, name, nameLocation: 'middle' as const, nameGap: 28 },
  axisLine: { onZero: false },
});
const PERCENT = { axisLabel: { formatter: '{value}%' }, nameGap: 42 };

const GRID = { left: 60, right: 20, top: 20, bottom: 45 };

const marked = (at: { xAxis: number } | { yAxis: number }) => ({
  symbol: 'none',
  silent: true,
  label: { formatter: 'threshold', position: 'insideEndTop' as const, color: INK.text, textBorderWidth: 0 },
  lineStyle: { color: INK.text },
  data: [at],
});

/** @param prefix of the picture's ids */
function picture(prefix: string, option: object): string {
  const drawn = drawChart({ width: 860, height: 380, option: { grid: GRID, ...option } });
  return `<figure>${withIds(drawn, prefix)}</figure>`;
}
