/** Rates of right and wrong findings on simulated claims and re-scans: the figures of reports/findings.md. */

import { encodeVector } from '#domain/vectors';
import { Findings } from '#findings/queries';
import { findingsProjection } from '#findings/view';
import { closeViews, TestLog, type TestSet, viewOf } from '#kit/views/test/log';
import { type CalibrationAsset, shippedEntry } from '#science/calibration/asset';
import { probabilityAt } from '#science/calibration/isotonic';
import { fusedScore } from '#science/matching/encoder';
import { Refusal, type Side } from '#science/spectra/refusal';
import type { Scan } from '#science/spectra/scan-set';
import type { SimulatedScan, SimulationOptions } from '#simulator';
import { similarity, sketchOf } from '#stones/nearness';
import { Matcher, openModelFolder } from '../apps/cli/matcher.js';
import { simulateNamed } from '../lab/populations.js';

const STONES = Number(process.env.MVS_BENCH_STONES ?? 2000);
const NAMES = [
  ...['calibration', 'client-a', 'client-b', 'client-c', 'instrument-16', 'low-noise-4'],
  ...['second-plain', 'second-air', 'second-scatter'],
];
const SEED = 4711;
const BARS = [0.6, 0.7, 0.8, 0.9, 0.92, 0.94, 0.96, 0.98, 0.99, 0.995, 0.999];
/** Genuine claims between the two halves of an attempt. */
const BETWEEN = 25;
const WRITTEN_ANEW = 500;

type Vectors = Float32Array[];
type Stone = Record<Side, Vectors>;

export async function run(): Promise<void> {
  const { model, asset } = openModelFolder();
  const matcher = await Matcher.open(model);
  console.log(`${STONES} stones per population, seed ${SEED}, 6 + 1 scans, rung 0.98\n`);
  for (const name of NAMES) {
    const measured = async (options: SimulationOptions, change = (scan: SimulatedScan) => scan) => {
      const stones: (Stone | undefined)[] = [];
      for (let stone = 0; stone < STONES; stone++) {
        const simulated = simulateNamed(name, SEED, stone, options);
        stones.push(await measure(matcher, simulated, change));
      }
      return stones;
    };
    const first = await measured({});
    const again = await measured({ session: 1 });
    const copied = await measured({}, rewritten);
    for (const side of ['polish', 'rough'] as const) similarities(`${name}, ${side}`, side, first, again, copied);
    rates(name, asset, first, again, copied);
  }
  await matcher.close();
}

async function measure(
  matcher: Matcher,
  stone: Record<Side, SimulatedScan[]>,
  change: (scan: SimulatedScan) => SimulatedScan,
) {
  try {
    const sides = await Promise.all(
      (['rough', 'polish'] as const).map((side) =>
        matcher.measure({ side, scans: stone[side].map(change).map(ascending), references: [] }),
      ),
    );
    return { rough: sides[0].vectors, polish: sides[1].vectors };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Shares of pairs from a cosine on: another session's, the same set written again, and all other stones'. */
function similarities(title: string, side: Side, ...runs: (Stone | undefined)[][]): void {
  const [first, again, copied] = runs.map((run) => run.map((stone) => stone && sketchOf(named(stone[side])).values));
  const pairs = (others: typeof first) =>
    first.flatMap((one, i) => (one && others[i] ? [similarity(one, others[i])] : []));
  const rescans = pairs(again);
  const copies = pairs(copied);
  const above = BARS.map(() => 0);
  let all = 0;
  first.forEach((one, i) => {
    for (let j = 0; one && j < i; j++) {
      const other = first[j];
      if (!other) continue;
      const score = similarity(one, other);
      all++;
      for (let k = 0; k < BARS.length && score >= BARS[k]; k++) above[k]++;
    }
  });
  const share = (scores: number[], bar: number) =>
    percent(scores.filter((score) => score >= bar).length, scores.length);
  console.log(`### ${title} (${all} pairs of other stones)\n`);
  console.log('| cosine from | re-scan | written again | other stones, a million pairs |\n|---|---|---|---|');
  BARS.forEach((bar, k) => {
    console.log(`| ${bar} | ${share(rescans, bar)} | ${share(copies, bar)} | ${((1e6 * above[k]) / all).toFixed(1)} |`);
  });
  console.log();
}

/** Rates of the findings themselves, without any references. */
function rates(name: string, asset: CalibrationAsset, ...runs: (Stone | undefined)[][]): void {
  const [first, again, copied] = runs;
  const { threshold } = shippedEntry(asset, 0.98);
  const set = (stone: number, session: number, vectors: Vectors): TestSet => ({
    stone: String(stone),
    session,
    vectors: named(vectors),
  });
  const claim = (log: TestLog, r: number, roughs: typeof first, p: number, polishes: typeof first, session: number) => {
    const rough = roughs[r]?.rough;
    const polish = polishes[p]?.polish;
    if (!rough || !polish) return undefined;
    const score = fusedScore(rough, polish);
    const verdict = score > threshold ? 'MATCH' : 'NO_MATCH';
    const result = { p_match_5050: probabilityAt(asset.p_match_5050, score) };
    const sides = { rough: set(r, roughs === first ? 0 : session, rough), polish: set(p, session, polish) };
    return log.claim({ ...sides, verdict, result });
  };
  const findings = (log: TestLog) => {
    const list = new Findings(viewOf(findingsProjection, log.events)).list({ limit: 1000 }).items;
    closeViews();
    return list;
  };
  const genuine = new TestLog();
  let claims = 0;
  for (let i = 0; i < STONES; i++) if (claim(genuine, i, first, i, first, 0)) claims++;
  const wrong = findings(genuine);
  const kinds = (kind: string) => wrong.filter((finding) => finding.kind === kind).length;
  console.log(
    `- ${name}: ${claims} genuine claims of as many stones: ${kinds('probing')} wrong \`probing\`, ` +
      `${kinds('multi_pass')} wrong \`multi_pass\`, ${wrong.filter(({ breach }) => breach).length} wrong breaches`,
  );
  /** Every BETWEEN genuine claims, the second half of an attempt that began as long before. */
  const attempts = (
    begin: (log: TestLog, stone: number) => string | undefined,
    end: (log: TestLog, stone: number) => string | undefined,
    between = BETWEEN,
  ) => {
    const log = new TestLog();
    const ends: string[] = [];
    const step = between + 1;
    for (let i = 0; i + step < STONES; i += step) {
      const began = begin(log, i);
      for (let k = 1; k <= between; k++) claim(log, i + k, first, i + k, first, 0);
      const ended = end(log, i);
      if (began && ended) ends.push(ended);
    }
    const found = new Set(
      findings(log).flatMap((one) => (one.kind === 'probing' ? one.claims.map((c) => c.claim_id) : [])),
    );
    return percent(ends.filter((id) => found.has(id)).length, ends.length);
  };
  const other = (stone: number, n: number) => (stone + 991 * n) % STONES;
  const probe = (log: TestLog, i: number) => claim(log, other(i, 1), first, i, first, 0);
  console.log(
    `- ${name}: a polish probed with a second wrong rough, ${BETWEEN} genuine claims later: found ` +
      `${attempts(probe, (log, i) => claim(log, other(i, 2), first, i, again, 1))} when re-scanned, ` +
      `${attempts(probe, (log, i) => claim(log, other(i, 2), first, i, copied, 2))} when written again, ` +
      `${attempts(probe, (log, i) => claim(log, other(i, 2), first, i, copied, 2), WRITTEN_ANEW)} of those ${WRITTEN_ANEW} claims later`,
  );
  console.log(
    `- ${name}: a genuine claim sent again with both stones re-scanned: taken for probing ` +
      `${attempts(
        (log, i) => claim(log, i, first, i, first, 0),
        (log, i) => claim(log, i, again, i, again, 1),
      )}\n`,
  );
}

const named = (vectors: Vectors) => Object.fromEntries(vectors.map((vector, i) => [String(i), encodeVector(vector)]));

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)}% of ${whole}`;

/** The same measurement written out with four decimals, shifted and scaled by a per mille. */
const rewritten = ({ wavenumbers, absorbance }: SimulatedScan): SimulatedScan => ({
  wavenumbers,
  absorbance: absorbance.map((value) => Math.round((value * 1.001 + 0.001) * 1e4) / 1e4),
});

function ascending({ wavenumbers, absorbance }: SimulatedScan): Scan {
  if (wavenumbers[0] < wavenumbers[wavenumbers.length - 1]) return { wavenumbers, absorbance };
  return { wavenumbers: wavenumbers.toReversed(), absorbance: absorbance.toReversed() };
}
