/** `mvs train --pairs`: every way to an own model is tried, and the best on held-out pairs is kept. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DEFAULT_REJECT_TARGET } from '#science/calibration/ladder';
import { createCompute } from '#science/compute/choose';
import type { Model } from '#science/matching/model';
import { shippedModel } from '#science/matching/shipped';
import { readScanFiles } from '#science/spectra/files';
import { Refusal, type Side } from '#science/spectra/refusal';
import type { Sampling } from '#science/spectra/sampling';
import { prepareSide } from '#science/spectra/scan-set';
import { InputError } from '../apps/cli/exit.js';
import { readInputs } from '../apps/cli/files.js';
import { findPairs } from '../apps/cli/pairs.js';
import { print, printError } from '../apps/cli/print.js';
import { showProgress } from '../apps/cli/progress.js';
import {
  bestOf,
  type Candidate,
  type EpochReport,
  MIN_OWN_STONES,
  type OwnPair,
  planDigest,
  splitPairs,
  tryWays,
  type Way,
} from './training/index.js';
import { clock, drawLosses, dropCheckpoints, keep, trainKept } from './training-run.js';

export interface OwnPairsOptions {
  pairs: string;
  out: string;
  name: string;
  /** Ways to try besides the shipped model as it is. */
  ways: Exclude<Way, 'shipped'>[];
  /** Model that `tuned` and `folded` start from; the shipped one by default. */
  from?: Model;
  epochs?: number;
  seed: number;
  json?: true;
}

const NAMES: Record<Way, string> = {
  shipped: 'as it is',
  tuned: 'trained further',
  folded: 'closed form folded in',
  scratch: 'from scratch',
};
const SHOWN = [0.98, 0.96, 0.9] as const;

export async function trainOnPairs(options: OwnPairsOptions): Promise<void> {
  const { out, name, seed } = options;
  const started = clock();
  const from = options.from ?? shippedModel();
  const { sampling } = from.input;
  const pairs = await readPairs(options.pairs, sampling);
  if (pairs.length < MIN_OWN_STONES) {
    throw new InputError(
      `${options.pairs} holds ${pairs.length} usable pairs of stones: a training on fewer than ${MIN_OWN_STONES} makes a model worse ` +
        'as often as better; collect at least that many, better 300',
    );
  }
  const data = splitPairs(pairs, seed);
  const digest = createHash('sha256').update(new Uint8Array(data.train.spectra.buffer)).digest('hex');
  const runs: { part: string; epochs: EpochReport[] }[] = [];
  const compute = await createCompute('simd');
  const candidates = await tryWays(from, data, options, compute, async (way, settings, halves, start) => {
    const plan = planDigest({ settings, from: start?.digest, data: digest });
    const { model, epochs } = await trainKept({ out, name, settings, data: halves, plan, from: start, part: way });
    runs.push({ part: NAMES[way], epochs });
    return model;
  });
  await compute.close();
  const best = bestOf(candidates);
  const about = {
    own_pairs: { stones: pairs.length, held_out: data.heldOut.stones, started_from: from.digest, way: best.way },
    candidates: candidates.map(({ way, model, confirmed, mean }) => ({
      way,
      digest: model.digest,
      confirmed: Object.fromEntries([...confirmed].map(([target, share]) => [target.toFixed(2), share])),
      mean,
    })),
    minutes: Math.round((clock() - started) / 6) / 10,
  };
  await keep(out, best.model, about);
  const picture = runs.length > 0 ? await drawLosses(out, runs) : undefined;
  await dropCheckpoints(out);
  if (options.json) return print(JSON.stringify({ out, digest: best.model.digest, losses: picture, ...about }));
  print(report(candidates, best, { out, pairs: pairs.length, heldOut: data.heldOut.stones, picture }));
}

function report(
  candidates: Candidate[],
  best: Candidate,
  { out, pairs, heldOut, picture }: { out: string; pairs: number; heldOut: number; picture?: string },
): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const row = ({ way, confirmed, mean }: Candidate) => {
    const shares = SHOWN.map((target) => percent(confirmed.get(target)?.share ?? Number.NaN).padStart(7));
    const [low, high] = confirmed.get(DEFAULT_REJECT_TARGET)?.interval ?? [Number.NaN, Number.NaN];
    const interval = `(${percent(low)} to ${percent(high)})`;
    return `  ${NAMES[way].padEnd(24)}${shares.join('')}${percent(mean).padStart(9)}   ${interval}`;
  };
  const lines = [
    `Held out ${heldOut} of ${pairs} stones, thresholds set on them by each model itself. Confirmed genuine claims:`,
    `  ${'model'.padEnd(24)}${SHOWN.map((target) => target.toFixed(2).padStart(7)).join('')}${'ladder'.padStart(9)}   95% at 0.98`,
    ...candidates.map(row),
  ];
  if (picture) lines.push(`Loss curves are in ${picture}.`);
  if (best === candidates[0])
    return [
      ...lines,
      `No own model is clearly better (1.5 points over the ladder are a tie): the model is unchanged in ${out}.`,
      'Next: collect more pairs (reports/accuracy.md shows what numbers of pairs gave), or look at pairs that are not',
      'confirmed for mix-ups; nothing has to be put into service.',
    ].join('\n');
  return [
    ...lines,
    `Kept: ${NAMES[best.way]}, model ${best.model.digest.slice(0, 16)} in ${out}. The stopping epoch and the choice used the`,
    'held-out stones, so that fresh stones may do a little worse.',
    'Next:',
    `  mvs calibrate --model ${out}                     # thresholds and probabilities on simulated stones`,
    `  mvs evaluate PAIRS --model ${out}                # on pairs that took no part in this training`,
    `  MVS_SHADOW_MODEL=${join(out)} npm start          # the shadow of the live model; an operator switches (docs/start/tour.md)`,
  ].join('\n');
}

/** The usable pairs of a folder; what is refused or incomplete is named and left out. */
async function readPairs(folder: string, sampling: Sampling): Promise<OwnPair[]> {
  const { pairs, incomplete } = await findPairs(folder);
  for (const stone of incomplete) printError(`mvs: ${stone} is left out: one of its sides is missing`);
  const read: OwnPair[] = [];
  const bar = showProgress('reading pairs', pairs.length);
  const spectra = async (side: Side, files: string[]) =>
    prepareSide(await readScanFiles(side, await readInputs(side, files)), sampling).spectra;
  for (const { stone, rough, polish } of pairs) {
    try {
      read.push({ rough: await spectra('rough', rough), polish: await spectra('polish', polish) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      printError(`mvs: ${stone} is left out: ${error.detail}`);
    }
    bar.advance();
  }
  bar.stop();
  return read;
}
