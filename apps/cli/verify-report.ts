/** The page of `mvs verify --report`: one claim for somebody who was not there. */

import { BAD, DOUBT, GENUINE, GOOD, INK, inBothSchemes, WRONG } from '#pictures';
import { drawChart, IN_PERCENT, LINES, withIds } from '#pictures/chart';
import { cells, escaped, list, page } from '#pictures/page';
import type { CalibrationAsset, Percentiles } from '#science/calibration/asset';
import { warningKind } from '#science/matching/warnings';
import type { Difference } from '#science/spectra/compare';
import { GAUGE_BANDS } from '#science/spectra/gauges/index';
import { plotSides } from './plot.js';
import { meaningOf, type ReportedClaim } from './verdict-words.js';

const STYLE = `.verdict{border:2px solid;border-radius:2mm;padding:2mm 3mm;margin:3mm 0}.accept{border-color:${GOOD.line}}
.review{border-color:${DOUBT.line}}.reject{border-color:${BAD.line}}p{margin:1mm 0}h2{margin:3mm 0 1mm}ul{margin:0;padding-left:5mm}
.gauges svg{display:block;width:100%;height:4mm}.small{font-size:8pt}.two{display:flex;gap:5mm;align-items:flex-start}
.two>*{flex:1;min-width:0}@media (max-width:150mm){.two{display:block}}@media print{body{margin:0;font-size:8.5pt}.verdict{font-size:10pt;margin:1mm 0}h2{margin:1mm 0 0}}`;

const STANDING: readonly string[] = ['uncalibrated_population', 'unvalidated_expected_genuine_accept'];

/** A difference in words. */
export const differenceOf = ({ range: [from, to], difference }: Difference): string =>
  `${Math.round(from)} to ${Math.round(to)} cm⁻¹: ${difference > 0 ? 'rough' : 'polish'} higher by ${Math.abs(difference).toFixed(3)}`;

export function verifyReport({ result, compared, sides, asset, model, at }: ReportedClaim): string {
  const { means, todo } = meaningOf(result);
  const { verdict, action, fused_score: score, threshold, reject_target: rung, p_match_5050: p } = result;
  const { population, stones } = asset.source;
  // Of the two that every claim under a shipped threshold has, no box changes its colour.
  const doubts = result.warnings.filter((warning) => !STANDING.includes(warningKind(warning)));
  const box = action === 'accept' && doubts.length > 0 ? 'review' : action;
  const facts: [string, string][] = [
    ['Score', `${score.toFixed(4)}, threshold ${threshold.toFixed(4)} at ${rung.toFixed(2)}`],
    ['Source of the threshold', result.threshold_source],
    ['Probability', `${p.toFixed(4)}, were as many claims true as false`],
    ['Model', `${model.name} ${model.digest.slice(0, 16)}`],
    ['Judged', at],
    ...(['rough', 'polish'] as const).map((side): [string, string] => [
      side === 'rough' ? 'Rough' : 'Polish',
      `${scansOf(result[`n_${side}_scans`])}: ${named(sides[side].files)}`,
    ]),
  ];
  const body = `<h1>${escaped(verdict)}: ${action}</h1>
<div class="verdict ${box}"><p>${escaped(means)}</p><p><b>To do:</b> ${escaped(todo)}</p></div>
${result.warnings.length > 0 ? `<h2>Warnings</h2>${list(result.warnings)}` : ''}
${withIds(plotSides(compared, 'each scan with its baseline at 0 and its mean two-phonon absorption (1680 to 2300, 2400 to 2680 cm⁻¹) at 1', 400), 'a')}
<p class="small">${compared.differences.map((one, i) => `<b>${i + 1}</b> ${escaped(differenceOf(one))}`).join('; ')}, in units of the mean two-phonon absorption. The picture is for the eye: the verdict rests on the score.</p>
<div class="two"><div><h2>The score</h2>${withIds(plotScore(asset, score, threshold), 'b')}
<p class="small">Shares of ${stones} simulated genuine claims (population ${escaped(population)}) and of wrong pairs made of them, by score.</p></div>
<div><h2>The claim</h2><table class="facts">${facts.map((fact) => cells('td', fact)).join('')}</table></div></div>
<h2>Gauges</h2><table class="gauges">${gaugeRows(sides)}</table>
<h2>Scope</h2><p class="small">${escaped(asset.scope)}</p>
`;
  return page(`${verdict}: ${named(sides.polish.files)}`, body, STYLE);
}

const scansOf = (count: number): string => (count === 1 ? '1 scan' : `${count} scans`);
const MAX_NAMED = 3;
const named = (files: readonly string[]): string =>
  files.slice(0, MAX_NAMED).join(', ') + (files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '');

/** The score among the genuine and wrong scores that came with the model. */
function plotScore({ baseline }: CalibrationAsset, score: number, threshold: number): string {
  const curve = (name: string, of: Percentiles, color: string, type: 'solid' | 'dashed') => ({
    ...{ type: 'line' as const, name, step: 'end' as const, symbol: 'none', color },
    lineStyle: { width: 1.5, type },
    areaStyle: { opacity: 0.15 },
    data: sharesOf(of),
  });
  const upright = (name: string, xAxis: number, type: 'solid' | 'dashed') => ({
    ...{ name, xAxis, lineStyle: { type, width: 1.5, color: INK.text } },
    label: { formatter: '{b}', color: INK.text, position: 'end' as const, distance: [0, type === 'solid' ? 4 : 18] },
  });
  return drawChart({
    width: 600,
    height: 300,
    option: {
      legend: { ...LINES, bottom: 0, left: 'center' },
      grid: { left: 55, right: 42, top: 42, bottom: 66 },
      xAxis: { ...VALUE, name: 'score', nameGap: 24, min: lowest(baseline, score), max: 1, interval: 0.2 },
      yAxis: { ...VALUE, ...IN_PERCENT, min: 0 },
      series: [
        {
          ...curve('genuine claims', baseline.genuine, GENUINE, 'solid'),
          markLine: {
            ...{ symbol: 'none', silent: true },
            data: [upright('this claim', score, 'solid'), upright('threshold', threshold, 'dashed')],
          },
        },
        curve('wrong claims', baseline.wrong, WRONG, 'dashed'),
      ],
    },
  });
}

const VALUE = { type: 'value' as const, nameLocation: 'middle' as const, axisLine: { onZero: false } };
const lowest = ({ genuine, wrong }: CalibrationAsset['baseline'], score: number): number =>
  Math.floor(5 * Math.min(genuine[0], wrong[0], score)) / 5;

/** Width of a bin of scores. */
const BIN = 0.02;

/** Shares by bin, of percentiles: between two of them lies a hundredth, taken as evenly spread. */
function sharesOf(percentiles: Percentiles): [number, number][] {
  const first = Math.floor(percentiles[0] / BIN);
  const shares = new Array<number>(Math.floor(percentiles[100] / BIN) - first + 2).fill(0);
  for (let i = 0; i < 100; i++) {
    const [from, to] = [percentiles[i], percentiles[i + 1]];
    for (let bin = Math.floor(from / BIN); bin <= Math.floor(to / BIN); bin++) {
      const inside = Math.min(to, (bin + 1) * BIN) - Math.max(from, bin * BIN);
      shares[bin - first] += to > from ? (0.01 * inside) / (to - from) : 0.01;
    }
  }
  return shares.map((share, i) => [Number(((first + i) * BIN).toFixed(4)), Number(share.toFixed(5))]);
}

const GAUGES = {
  sharpness: ['sharpness', 'sharpness'],
  detail_residual: ['detail residual', 'detailResidual'],
  locally_polynomial: ['locally polynomial', 'locallyPolynomial'],
} as const;

/** Each gauge with its band and both sides' values, which are marked where they are out of it. */
function gaugeRows(sides: ReportedClaim['sides']): string {
  const rows = GAUGE_BANDS.map(({ gauge, low, high }) => {
    const [name, member] = GAUGES[gauge];
    const [rough, polish] = [sides.rough.gauges[member], sides.polish.gauges[member]];
    // The band of the sharpness is that of a polish.
    const judged = gauge === 'sharpness' ? [polish] : [rough, polish];
    const isOut = (value: number) => (low !== null && value < low) || (high !== null && value > high);
    const shown = (value: number) =>
      judged.includes(value) && isOut(value) ? `<b>${value.toFixed(3)} out of band</b>` : value.toFixed(3);
    const band = low === null ? `at most ${high}` : `${low} to ${high}`;
    return `<tr><td>${name}</td><td>${shown(rough)}</td><td>${shown(polish)}</td><td>${band}${strip(judged, low, high)}</td></tr>`;
  });
  return cells('th', ['gauge', 'rough', 'polish', 'band']) + rows.join('');
}

/** Values as lines on a strip, whose shaded part is the band. */
function strip(values: readonly number[], low: number | null, high: number | null): string {
  const [from, to] = [low ?? 0, high ?? 1];
  const place = (x: number) => Math.min(98, Math.max(2, 30 + (40 * (x - from)) / (to - from)));
  const begin = low === null ? 2 : place(from);
  const box = (x: number, y: number, width: number, height: number, fill: string) =>
    `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" fill="${fill}"/>`;
  const marks = values.map((value) => box(place(value) - 0.6, 0, 1.2, 10, INK.text));
  return inBothSchemes(
    `<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img">${box(0, 3, 100, 4, INK.grid)}` +
      `${box(begin, 3, place(to) - begin, 4, GOOD.line)}${marks.join('')}</svg>`,
  );
}
