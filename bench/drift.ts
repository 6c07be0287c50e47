/** Rate of false reports of drift, and delay of true ones, on simulated claims: the figures of reports/drift.md. */

import { join } from 'node:path';
import {
  type BaselineFor,
  DRIFT_LIMIT,
  DRIFT_MEASURES,
  DRIFT_WINDOW,
  type DriftClaim,
  DriftGathering,
  DriftWatch,
  type DriftWindow,
  drifted,
  shippedBaseline,
} from '#science/calibration/drift';
import { wilson } from '#science/calibration/statistics';
import { fusedScore } from '#science/matching/encoder';
import { Refusal, type Side } from '#science/spectra/refusal';
import {
  nuisanceOf,
  type PopulationSettings,
  populationNamed,
  Random,
  ROUGH_SCANS,
  type SimulatedScan,
  simulateStone,
} from '#simulator';
import { Matcher, openModelFolder } from '../apps/cli/matcher.js';
import { writeBlock } from '../lab/blocks.js';
import { sideOf } from '../lab/measure-stones.js';

const STONES = Number(process.env.MVS_BENCH_STONES ?? 20_000);
/** Stones a change, and unchanged ones that series begin with. */
const CHANGED = 600;
const UNCHANGED = 2000;
const SEED = 60_613;
const CLIENT = 'client-a';
/** Claims of an approved baseline: those of the rungs 0.99, 0.95 and 0.92. */
const BASELINES = [40, 400, 1200];
const SHUFFLES = 10;
const POWER_WINDOWS = 500;
const SERIES = 200;
const MAX_CLAIMS = 500;

interface Change {
  what: string;
  settings?(settings: PopulationSettings): Partial<PopulationSettings>;
  scan?(scan: SimulatedScan): SimulatedScan;
  /** Sides measured after the change; both by default. */
  sides?: Side[];
}

const resolution =
  (fwhm: number) =>
  ({ instrument }: PopulationSettings) => ({ instrument: { ...instrument, fwhm } });
const noise = (factor: number) => (settings: PopulationSettings) => ({ noise: factor * settings.noise });
const moved = ({ wavenumbers, absorbance }: SimulatedScan) => ({
  wavenumbers: wavenumbers.map((x) => x + 0.5),
  absorbance,
});
const strayLight =
  (share: number) =>
  ({ wavenumbers, absorbance }: SimulatedScan) => ({
    wavenumbers,
    absorbance: absorbance.map((value) => -Math.log10((10 ** -value + share) / (1 + share))),
  });

const CHANGES: Change[] = [
  { what: 'resolution 8 to 16 cm^-1', settings: resolution(16) },
  { what: 'the same, roughs measured before the change', settings: resolution(16), sides: ['polish'] },
  { what: 'resolution 8 to 9 cm^-1', settings: resolution(9) },
  {
    what: 'apodisation Blackman-Harris to boxcar',
    settings: ({ instrument }) => ({ instrument: { ...instrument, apodisation: 'boxcar' } }),
  },
  { what: 'noise x 3', settings: noise(3) },
  { what: 'noise x 1.5', settings: noise(1.5) },
  { what: 'stray light 1%', scan: strayLight(0.01) },
  { what: 'stray light 0.1%', scan: strayLight(0.001) },
  {
    what: 'baselines, films and gases x 2',
    settings: ({ nuisance }) => ({ nuisance: nuisanceOf((kind) => 2 * nuisance[kind]) }),
  },
  { what: 'wavenumbers + 0.5 cm^-1', scan: moved },
  { what: 'the same, roughs measured before the change', scan: moved, sides: ['polish'] },
];

const PAGE = join('reports', 'drift.md');
const lines: string[] = [];

/** With `--write` the tables go into the page. */
export async function run(): Promise<void> {
  const { model, asset } = openModelFolder();
  const matcher = await Matcher.open(model);
  const shipped = shippedBaseline(asset);
  if (!shipped) throw new Error('the shipped asset has no baseline');
  lines.push(
    `Model \`${model.digest.slice(0, 16)}\`, seed ${SEED}, ${whole(STONES)} stones per population (${whole(STONES / 4)} with 1 or 3 rough scans), ` +
      `6 + 1 scans where nothing else is said, windows of ${DRIFT_WINDOW} claims, limit ${DRIFT_LIMIT}.\n`,
  );
  const calibration = (await measured(matcher, 'calibration', STONES)).claims;
  const client = (await measured(matcher, CLIENT, STONES)).claims;

  lines.push('| population | baseline | windows | beyond the limit | 95% interval |\n|---|---|---:|---:|---|');
  falseAlarms('calibration', calibration, 'shipped', shipped);
  for (const scans of [1, 3]) {
    const { claims } = await measured(matcher, 'calibration', STONES / 4, undefined, scans);
    falseAlarms(`calibration, ${scans} rough scan${scans > 1 ? 's' : ''}`, claims, 'shipped', shipped);
  }
  for (const size of BASELINES) falseAlarms('calibration', calibration, `own, ${size} claims`, size);
  for (const size of BASELINES) falseAlarms(CLIENT, client, `own, ${size} claims`, size);
  const foreign = windowsOf(shipped, client);
  lines.push(
    `\n${CLIENT} against the shipped baseline: ${foreign.filter(drifted).length} of ${foreign.length} windows lie beyond the limit. ` +
      `Its instrument is another one than the calibration population's: it \`differs_from_shipped\`, and nothing alarms.\n`,
  );

  lines.push(
    `Shift of one measure that is found in 80% of ${POWER_WINDOWS} windows of ${CLIENT}, in standard deviations (in its own unit):\n`,
  );
  lines.push(`| baseline | ${DRIFT_MEASURES.join(' | ')} |\n|---|${DRIFT_MEASURES.map(() => '---:|').join('')}`);
  for (const size of BASELINES) {
    const shifts = DRIFT_MEASURES.map((_, m) => shiftFound(client, size, m));
    lines.push(`| ${size} claims | ${shifts.join(' | ')} |`);
  }

  lines.push(
    `\n## How soon it is right\n\n${CLIENT} with an approved baseline of 400 claims; the change falls anywhere in a window, ${SERIES} series a ` +
      `change drawn from ${CHANGED} changed stones; claims from the change to the alarm:\n`,
  );
  lines.push(
    `| change of instrument after the approval | found within ${MAX_CLAIMS} claims | 95% interval | median | 95% of the found | claims refused | measures that alarm first |`,
  );
  lines.push('|---|---:|---|---:|---:|---:|---|');
  for (const change of CHANGES) {
    const { claims, refused } = await measured(matcher, CLIENT, CHANGED, change);
    untilAlarm(change, client.slice(0, UNCHANGED), claims, refused);
  }
  await matcher.close();
  const text = lines.join('\n');
  if (process.argv.includes('--write')) writeBlock(PAGE, 'drift', text);
  else console.log(text);
}

let position = 0;

/** Stones as claims; a change has stones of its own. */
async function measured(matcher: Matcher, name: string, count: number, change?: Change, roughScans = ROUGH_SCANS) {
  const before = populationNamed(name);
  const { settings = () => ({}), scan = (one: SimulatedScan) => one, sides = ['rough', 'polish'] } = change ?? {};
  const after = {
    ...before,
    settings(random: Random) {
      const found = before.settings(random);
      return { ...found, ...settings(found) };
    },
  };
  const first = change ? 1_000_000 * (CHANGES.indexOf(change) + 1) : 0;
  const claims: DriftClaim[] = [];
  for (let stone = first; stone < first + count; stone++) {
    const scans = simulateStone(after, SEED, stone, { roughScans });
    const earlier = sides.length < 2 ? simulateStone(before, SEED, stone, { roughScans }) : scans;
    const measure = (side: Side) =>
      matcher.measure(sideOf(side, sides.includes(side) ? scans[side].map(scan) : earlier[side]));
    try {
      const [rough, polish] = [await measure('rough'), await measure('polish')];
      const counts = { rough: roughScans, polish: scans.polish.length };
      const gauges = [rough, polish].map((side) => side.gauges);
      const values = [
        fusedScore(rough.vectors, polish.vectors),
        ...gauges.map(({ sharpness }) => sharpness),
        ...gauges.map(({ detailResidual }) => detailResidual),
      ];
      claims.push({ position: ++position, at: '', rough: rough.digest, polish: polish.digest, scans: counts, values });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return { claims, refused: count - claims.length };
}

function baselineOf(claims: DriftClaim[]): BaselineFor {
  const gathering = new DriftGathering();
  for (const claim of claims) gathering.add(claim);
  const sample = gathering.sample();
  return () => sample;
}

function windowsOf(baseline: BaselineFor, claims: DriftClaim[]): DriftWindow[] {
  const watch = new DriftWatch(baseline);
  const windows: DriftWindow[] = [];
  for (const claim of claims) {
    watch.take(claim);
    if (watch.latest && watch.latest !== windows.at(-1)) windows.push(watch.latest);
  }
  return windows;
}

function shuffled<T>(items: readonly T[], ...key: (string | number)[]): T[] {
  const random = new Random('drift', SEED, ...key);
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

/** @param baseline a sample of other stones, or how many of these are to be one in each shuffle */
function falseAlarms(name: string, claims: DriftClaim[], title: string, baseline: BaselineFor | number): void {
  let [windows, alarms] = [0, 0];
  for (let shuffle = 0; shuffle < SHUFFLES; shuffle++) {
    const order = shuffled(claims, 'unchanged', shuffle);
    // Baselines of their own for every ten windows: one that happens to be odd must not decide.
    const apart = typeof baseline === 'number' ? baseline : 0;
    for (let at = 0; at < order.length; ) {
      const sample = typeof baseline === 'number' ? baselineOf(order.slice(at, at + apart)) : baseline;
      const tested = windowsOf(sample, order.slice(at + apart, at + apart + 10 * DRIFT_WINDOW));
      windows += tested.length;
      alarms += tested.filter(drifted).length;
      at += apart + 10 * DRIFT_WINDOW;
    }
  }
  const interval = wilson(alarms, windows).map(percent).join(' to ');
  lines.push(`| ${name} | ${title} | ${whole(windows)} | ${alarms} (${percent(alarms / windows)}) | ${interval} |`);
}

/** The least shift of a measure that is found with a power of 80%, in standard deviations of the population. */
function shiftFound(claims: DriftClaim[], size: number, m: number): string {
  const values = claims.map((claim) => claim.values[m]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  const trials = Array.from({ length: POWER_WINDOWS }, (_, trial) => {
    const order = shuffled(claims, 'power', trial).slice(0, size + DRIFT_WINDOW);
    return { baseline: baselineOf(order.slice(0, size)), window: order.slice(size) };
  });
  const power = (shift: number) => {
    const found = trials.filter(({ baseline, window }) => {
      const shifted = window.map((claim) => ({ ...claim, values: claim.values.with(m, claim.values[m] + shift) }));
      return windowsOf(baseline, shifted)[0].measures[m].drifted;
    });
    return found.length / trials.length;
  };
  let [low, high] = [0, 3];
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (power(middle * deviation) < 0.8) low = middle;
    else high = middle;
  }
  return `${high.toFixed(2)} (${(high * deviation).toPrecision(2)})`;
}

/** A baseline and some unchanged claims, so that the change falls anywhere in a window; then changed ones. */
function untilAlarm({ what }: Change, unchanged: DriftClaim[], changed: DriftClaim[], refused: number): void {
  const counts: number[] = [];
  const first = new Map<string, number>();
  for (let series = 0; series < SERIES; series++) {
    const before = shuffled(unchanged, what, 'before', series);
    const watch = new DriftWatch(baselineOf(before.slice(0, 400)));
    for (const claim of before.slice(400, 400 + new Random('drift', SEED, what, series).below(DRIFT_WINDOW)))
      watch.take(claim);
    for (const [i, claim] of shuffled(changed, what, 'after', series).slice(0, MAX_CLAIMS).entries()) {
      watch.take(claim);
      if (!watch.began) continue;
      counts.push(i + 1);
      for (const one of watch.began.measures)
        if (one.drifted) first.set(one.measure, (first.get(one.measure) ?? 0) + 1);
      break;
    }
  }
  counts.sort((a, b) => a - b);
  const at = (share: number) => counts[Math.ceil(share * counts.length) - 1] ?? '';
  const measures = [...first]
    .sort((a, b) => b[1] - a[1])
    .map(([measure, times]) => `${measure.replaceAll('_', ' ')} ${percent(times / counts.length)}`);
  const share = percent(refused / (refused + changed.length));
  lines.push(
    `| ${what} | ${percent(counts.length / SERIES)} | ${wilson(counts.length, SERIES).map(percent).join(' to ')} | ${at(0.5)} | ${at(0.95)} | ${share} | ${measures.join(', ')} |`,
  );
}

const whole = (count: number) => count.toLocaleString('en-US');
const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 2 : 0)}%`;
