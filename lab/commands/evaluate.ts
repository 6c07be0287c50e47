import { existsSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { CALIBRATION_FILE } from '#science/calibration/asset';
import type { Isotonic } from '#science/calibration/isotonic';
import { DEFAULT_REJECT_TARGET, REJECT_TARGETS, type RejectTarget, RUNGS, rungName } from '#science/calibration/ladder';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { PopulationScorer } from '#science/calibration/scorer/scorer';
import { type ModelFolder, readCard } from '#science/matching/folder';
import { type Model, VECTOR } from '#science/matching/model';
import { onReferenceAxis } from '#science/spectra/compare';
import { Refusal } from '#science/spectra/refusal';
import type { ScanSet } from '#science/spectra/scan-set';
import { sharedScans } from '#science/spectra/shared-scans';
import { InputError, UsageError } from '../../apps/cli/exit.js';
import { Matcher, type MeasuredSide, MODEL_OPTION, openModel, openModelFolder, stack } from '../../apps/cli/matcher.js';
import { findPairs, NAMES, type PairFiles } from '../../apps/cli/pairs.js';
import { print, printError } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { type Bank, CrossScores } from '../cross-scores.js';
import { type Actions, actionsOf, type Day, daysText, decimals, firstDays, percent, scoredFrom } from '../first-day.js';
import { areaUnderRoc, roc, scoreHistogram } from '../roc.js';
import type { ScorePlot } from './plot-scores.js';

const DECOYS = 29;
/** Every pair's vectors are scored against every other's: 8 bytes a cross pair. */
const MAX_PAIRS = 12_000;

export function register(command: Command): void {
  command
    .argument(
      '<folder>',
      'holds <stone>_rough_<n>.<ext> and <stone>_polish_<n>.<ext>, or <stone>/rough/* and <stone>/polish/*',
    )
    .option(...MODEL_OPTION)
    .option('--scorer <file>', 'score by this scorer, which mvs adapt made from other pairs of the population')
    .option('--json', 'print the answer as JSON')
    .option('--plot <svg>', 'draw the scores of genuine and wrong claims, and the thresholds, into this file')
    .addHelpText(
      'after',
      `
A refused pair counts as not confirmed. Other files in the folder are ignored. A model that mvs train wrote has no ladder
before mvs calibrate: shares by shipped thresholds are left out then. With --scorer what it calls shipped is the ladder
carried over for scorers. Pairs that the scorer was made from are scored without what it holds of them.

Examples:
  mvs evaluate pairs/
  mvs evaluate pairs/ --json > evaluation.json
  mvs evaluate pairs/ --scorer scorer.bin
  mvs evaluate pairs/ --plot scores.svg`,
    )
    .action(evaluate);
}

export interface MeasuredPair {
  stone: string;
  /** Scans of the rough that are scans of the polish too. */
  sharedScans: number;
  rough: MeasuredSide;
  polish: MeasuredSide;
}

async function evaluate(
  pairsIn: string,
  options: { json?: boolean; model?: string; plot?: string; scorer?: string },
): Promise<void> {
  const pairs = await pairsToMeasure(pairsIn);
  const { model, folder } = openForEvaluation(options.model);
  const scorer = options.scorer === undefined ? undefined : openScorer(options.scorer, model);
  const matcher = await Matcher.open(model);
  try {
    const { measured, refused } = await measurePairs(matcher, pairs);
    for (const { stone, reason } of refused) printError(`mvs: ${stone} is refused: ${reason}`);
    const bank = bankOfPairs(measured, matcher.model);
    const { cosines } = matcher.compute;
    const scores = await (scorer ? scoredFrom(scorer, bank, 0, cosines) : CrossScores.of(bank, cosines));
    const days = scorer || !folder ? [] : await firstDays(bank, scores, folder, cosines);
    const actions = folder && !scorer ? actionsOf(measured, folder) : undefined;
    const evaluation = new Evaluation(
      scores,
      refused.length,
      scorer ? carriedOf(scorer) : folder?.asset,
      days,
      actions,
    );
    print(options.json ? JSON.stringify(evaluation.summary(), null, 2) : evaluation.describe());
    if (options.plot !== undefined) {
      // The chart library takes a while to load; only a plot needs it.
      const { plotScores } = await import('./plot-scores.js');
      await writeFile(
        options.plot,
        plotScores(evaluation.plot(pairsIn, `mvs evaluate, model ${model.digest.slice(0, 16)}`)),
      );
      if (!options.json) print(`plot written to ${options.plot}`);
    }
  } finally {
    await matcher.close();
  }
}

/**
 * The pairs of a folder; says which stones are left out.
 * @throws Refusal for a folder without pairs or with too many
 */
export async function pairsToMeasure(folder: string): Promise<PairFiles[]> {
  const { pairs, incomplete } = await findPairs(folder);
  if (pairs.length === 0)
    throw new Refusal('unparseable', {
      file: folder,
      reason: 'the folder holds no pair',
      fix: `name the files ${NAMES}, or put them into <stone>/rough and <stone>/polish`,
    });
  if (pairs.length > MAX_PAIRS)
    throw new Refusal('unparseable', {
      file: folder,
      reason: `the folder holds ${pairs.length} pairs, more than ${MAX_PAIRS}`,
      fix: 'split it',
    });
  for (const stone of incomplete) printError(`mvs: ${stone} is left out: one of its sides is missing`);
  return pairs;
}

export async function measurePairs(matcher: Matcher, pairs: PairFiles[]) {
  const measured: MeasuredPair[] = [];
  const refused: { stone: string; reason: string }[] = [];
  const progress = showProgress('measuring pairs', pairs.length);
  for (const { stone, rough, polish } of pairs) {
    try {
      const [r, p] = [await matcher.read('rough', rough), await matcher.read('polish', polish)];
      measured.push({
        stone,
        rough: await matcher.measure(r),
        polish: await matcher.measure(p),
        sharedScans: sharedScans(onAxis(r), onAxis(p)),
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push({ stone, reason: error.detail });
    }
    progress.advance();
  }
  progress.stop();
  return { measured, refused };
}

/** Values carried over from other stones: thresholds and probabilities. */
interface Carried {
  rungs: { reject_target: RejectTarget; threshold: number }[];
  p_match_5050: Isotonic;
}

/** A model, and its folder with the ladder where one was ever made: mvs train leaves it without. */
function openForEvaluation(folder: string | undefined): { model: Model; folder?: ModelFolder } {
  if (folder !== undefined && !existsSync(join(folder, CALIBRATION_FILE))) {
    const model = openModel(folder);
    if (readCard(folder)?.ladder_digest === undefined) return { model };
  }
  const opened = openModelFolder(folder);
  return { model: opened.model, folder: opened };
}

const carriedOf = (scorer: PopulationScorer): Carried => ({
  rungs: REJECT_TARGETS.map((rung) => scorer.entry(rung)),
  p_match_5050: scorer.curve,
});

/** @throws InputError for a file that holds no scorer, UsageError for a scorer of another model */
function openScorer(file: string, model: Model): PopulationScorer {
  if (statSync(file).isDirectory()) throw new UsageError(`${file} is a folder: name the file that mvs adapt wrote`);
  const scorer = loadScorer(file);
  if (scorer.model !== model.digest)
    throw new UsageError(
      `${file} was made with model ${scorer.model.slice(0, 16)}, not ${model.digest.slice(0, 16)}: name that model's ` +
        'folder by --model, or make a scorer for this one with mvs adapt',
    );
  return scorer;
}

function loadScorer(file: string): PopulationScorer {
  const bytes = readFileSync(file);
  try {
    return PopulationScorer.load(bytes);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new InputError(`${file} is refused: ${error.reason}; make it again with mvs adapt`);
  }
}

const onAxis = ({ scans }: ScanSet) => scans.map(onReferenceAxis);

function bankOfPairs(measured: MeasuredPair[], model: Model): Bank {
  const side = (name: 'rough' | 'polish', encoder: number) =>
    stack(
      measured.map((pair) => pair[name]),
      encoder,
    );
  return {
    stones: measured.map(({ stone, rough, polish }) => ({
      reference: stone,
      roughDigest: rough.digest,
      polishDigest: polish.digest,
    })),
    encoders: model.encoders.map((_, encoder) => ({
      rough: side('rough', encoder),
      polish: side('polish', encoder),
      width: VECTOR,
    })),
  };
}

type Shares = Record<string, number | null>;

/** The output of `evaluate --json`: shares from 0 to 1, null where there are too few pairs. */
interface Summary {
  pairs: number;
  refused: number;
  genuine_confirmed: { own: Shares; shipped: Shares };
  wrong_accepted: { shipped: Shares };
  ece: number | null;
  best_of_29_rejected: number | null;
  /** At the default rung, uncalibrated and with scorers of the first pairs; none with a scorer of other pairs. */
  first_days: Day[];
  /** Of the pairs at the default rung, uncalibrated. */
  actions: Actions | null;
}

class Evaluation {
  private readonly pairs: number;
  constructor(
    private readonly scores: CrossScores,
    private readonly refused: number,
    private readonly carried: Carried | undefined,
    private readonly days: Day[],
    private readonly actions: Actions | undefined,
  ) {
    this.pairs = scores.size + refused;
  }

  summary(): Summary {
    const rungs = (value: (target: RejectTarget) => number | null): Shares =>
      Object.fromEntries(RUNGS.map((target) => [rungName(target), value(target)]));
    const shipped = (value: (threshold: number) => number | null) =>
      rungs((target) => {
        const threshold = this.shipped(target);
        return threshold === undefined ? null : value(threshold);
      });
    const own = this.ownThreshold(DEFAULT_REJECT_TARGET);
    return {
      pairs: this.pairs,
      refused: this.refused,
      genuine_confirmed: {
        own: rungs((target) => {
          const threshold = this.ownThreshold(target);
          return threshold === null ? null : this.confirmed(threshold).share;
        }),
        shipped: shipped((threshold) => this.confirmed(threshold).share),
      },
      wrong_accepted: {
        shipped: shipped((threshold) => (this.hasWrong ? this.scores.wrongAccepted(threshold).share : null)),
      },
      ece: this.calibrationError(),
      best_of_29_rejected: own === null ? null : (this.scores.bestOfRejected(DECOYS, own)?.share ?? null),
      first_days: this.days,
      actions: this.actions ?? null,
    };
  }

  describe(): string {
    const lines = [
      `${this.pairs} pairs, ${this.refused} refused; ${this.scores.wrong.length} cross pairs of different stones as wrong claims`,
    ];
    if (!this.hasWrong) return [...lines, 'at least two accepted pairs are needed for a ladder'].join('\n');
    lines.push(
      '',
      `        ${'genuine confirmed,'.padEnd(28)}${'genuine confirmed,'.padEnd(28)}wrong accepted,`,
      `rung    ${'own threshold'.padEnd(28)}${'shipped threshold'.padEnd(28)}${'shipped threshold'.padEnd(28)}thresholds: own, shipped`,
    );
    for (const target of RUNGS) {
      const shipped = this.shipped(target);
      const own = this.scores.threshold(target);
      const at = (value: (threshold: number) => string) => (shipped === undefined ? '-' : value(shipped)).padEnd(28);
      lines.push(
        `${rungName(target)}    ${this.confirmedText(own.threshold).padEnd(28)}${at((one) => this.confirmedText(one))}` +
          `${at((one) => this.acceptedText(one))}${own.threshold.toFixed(4)}, ${shipped?.toFixed(4) ?? '-'}`,
      );
    }
    const { genuine, wrong } = this.scores;
    lines.push('', `ROC     area ${areaUnderRoc(genuine, wrong).toFixed(3)}`);
    const shares = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1].filter((share) => share * wrong.length >= 1);
    for (const point of roc(genuine, wrong, shares))
      lines.push(
        `        ${(100 * point.wrong_accepted).toFixed(1).padStart(4)}% of wrong accepted: ${(100 * point.genuine_confirmed).toFixed(decimals(genuine.length))}% of genuine confirmed`,
      );
    const error = this.calibrationError();
    lines.push('', `expected calibration error of p_match_5050: ${error?.toFixed(3) ?? 'no ladder, no probability'}`);
    const decoys = this.scores.bestOfRejected(DECOYS, this.scores.threshold(DEFAULT_REJECT_TARGET).threshold);
    lines.push(
      decoys === null
        ? `best of ${DECOYS} decoys: needs ${DECOYS + 1} pairs`
        : `best of ${DECOYS} random decoys rejected at ${rungName(DEFAULT_REJECT_TARGET)} (own threshold): ${percent(decoys, this.pairs)}`,
      ...daysText(this.days, this.actions),
      'Intervals are of 95%. ROC, calibration error and what follows from first pairs leave refused pairs out.',
    );
    return lines.join('\n');
  }

  plot(folder: string, source: string): ScorePlot {
    const name = (whose: string, at: number) =>
      `${whose} threshold at ${rungName(DEFAULT_REJECT_TARGET)}, ${at.toFixed(4)}: ${this.confirmedText(at)} of genuine confirmed` +
      (this.hasWrong ? `, ${this.acceptedText(at)} of wrong accepted` : '');
    const shipped = this.shipped(DEFAULT_REJECT_TARGET);
    const own = this.ownThreshold(DEFAULT_REJECT_TARGET);
    const thresholds = Object.entries({ shipped, own }).flatMap(([whose, at]) =>
      at === undefined || at === null ? [] : [{ name: name(whose, at), at }],
    );
    return {
      title: `Scores of ${basename(folder)}: ${this.pairs} pairs, ${this.refused} refused`,
      genuine: scoreHistogram(this.scores.genuine),
      wrong: scoreHistogram(this.scores.wrong),
      thresholds,
      rungs: this.carried?.rungs.map(({ threshold }) => threshold) ?? [],
      source,
    };
  }

  private get hasWrong(): boolean {
    return this.scores.wrong.length > 0;
  }

  private shipped(target: RejectTarget): number | undefined {
    return this.carried?.rungs.find(({ reject_target }) => reject_target === target)?.threshold;
  }

  private ownThreshold(target: number): number | null {
    return this.hasWrong ? this.scores.threshold(target).threshold : null;
  }

  /** Share among all pairs: a refused one is not confirmed. */
  private confirmed(threshold: number) {
    return this.scores.confirmed(threshold, this.pairs);
  }

  private confirmedText(threshold: number): string {
    return percent(this.confirmed(threshold), this.pairs);
  }

  private acceptedText(threshold: number): string {
    return percent(this.scores.wrongAccepted(threshold), this.scores.wrong.length);
  }

  private calibrationError(): number | null {
    if (!this.hasWrong || !this.carried) return null;
    const { genuine, wrong } = this.scores;
    return expectedCalibrationError(reliability(this.carried.p_match_5050, genuine, wrong));
  }
}
