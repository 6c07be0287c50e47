import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { ThreadPool } from '#kit/threads/pool';
import { CALIBRATION_FILE, loadAsset, shippedEntry } from '#science/calibration/asset';
import { ClaimEvidence } from '#science/calibration/evidence';
import { rungName } from '#science/calibration/ladder';
import { isScorer } from '#science/calibration/scorer/bytes';
import { fitScorer, type ScorerFigures } from '#science/calibration/scorer/fit';
import { loadScorerLadders, SCORER_FILE } from '#science/calibration/scorer/ladders';
import { leastGroups, SCORER_GROUPS } from '#science/calibration/scorer/method';
import { shippedModelFolder } from '#science/matching/shipped';
import { joined } from '#science/numerics/joined';
import { InputError, UsageError } from '../../apps/cli/exit.js';
import { Matcher, MODEL_OPTION, openModel } from '../../apps/cli/matcher.js';
import { print, printError } from '../../apps/cli/print.js';
import { measurePairs, pairsToMeasure } from './evaluate.js';

/** Not `scorer.json`: a model's folder has its ladders for scorers there. */
const DEFAULT_OUT = 'scorer.bin';

interface Options {
  pairs: string;
  out: string;
  model?: string;
  json?: true;
}

export function register(command: Command): void {
  command
    .requiredOption('--pairs <folder>', "the population's pairs, named as mvs evaluate wants them")
    .option('--out <file>', 'where the scorer goes; what is there is written over only where it is one', DEFAULT_OUT)
    .option(...MODEL_OPTION)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
At least ${SCORER_GROUPS.propose[0]} stones are needed, better 100. Judge a scorer by pairs that it was not made from.

Examples:
  mvs adapt --pairs pairs/ --out ${DEFAULT_OUT}
  mvs evaluate other-pairs/ --scorer ${DEFAULT_OUT}`,
    )
    .action(adapt);
}

async function adapt(options: Options): Promise<void> {
  const folder = options.model ?? shippedModelFolder();
  const model = openModel(folder);
  const file = join(folder, SCORER_FILE);
  if (!existsSync(file))
    throw new UsageError(`there is no ${SCORER_FILE} in ${folder}: mvs calibrate --model ${folder} makes one`);
  const ladders = loadScorerLadders(readFileSync(file, 'utf8'), model);
  const calibration = join(folder, CALIBRATION_FILE);
  const asset = existsSync(calibration) ? loadAsset(readFileSync(calibration, 'utf8'), model.digest) : undefined;
  // Said before minutes of work, not after.
  accessSync(dirname(options.out), constants.W_OK);
  if (existsSync(options.out) && !isScorer(readFileSync(options.out)))
    throw new UsageError(`${options.out} is there and holds no scorer: give --out another name`);
  const pairs = await pairsToMeasure(options.pairs);
  const matcher = await Matcher.open(model);
  const pool = new ThreadPool();
  try {
    const { measured, refused } = await measurePairs(matcher, pairs);
    for (const { stone, reason } of refused) printError(`mvs: ${stone} is refused: ${reason}`);
    const names = model.encoders.map(({ name }) => name);
    const evidence = new ClaimEvidence('pairs', model.digest, names);
    for (const { stone, rough, polish } of measured)
      evidence.add({
        claimId: stone,
        rough: { digest: rough.digest, references: [stone] },
        polish: { digest: polish.digest, references: [stone] },
        roughVectors: joined(rough.vectors),
        polishVectors: joined(polish.vectors),
      });
    const raw = (rung: Parameters<typeof shippedEntry>[1]) => (asset ? shippedEntry(asset, rung).threshold : 1);
    const made = await fitScorer(evidence, evidence.size, () => 'pairs', ladders, pool, raw);
    if ('reason' in made)
      throw new InputError(
        `no scorer can be made of ${measured.length} pairs: ${made.reason}; bring pairs of more stones that the model ` +
          `tells apart, at least ${leastGroups(ladders.method)}`,
      );
    writeFileSync(options.out, made.scorer.bytes);
    const { digest } = made.scorer;
    print(
      options.json
        ? JSON.stringify({ file: options.out, scorer: digest, figures: made.figures }, null, 2)
        : `${describe(made.figures)}\nscorer ${digest.slice(0, 16)} written to ${options.out}`,
    );
  } finally {
    await pool.close();
    await matcher.close();
  }
}

function describe({ bank, groups, trimmed, rungs, curve, ece }: ScorerFigures): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`.padStart(7);
  return [
    `${bank} pairs of ${groups} stones; ${trimmed} look wrong and take no part in the map`,
    'rung   confirmed raw, mapped   (each pair scored without itself, thresholds of these pairs)',
    ...[...rungs]
      .reverse()
      .map(
        ({ reject_target, confirmed_raw, confirmed_mapped }) =>
          `${rungName(reject_target)}   ${percent(confirmed_raw)} ${percent(confirmed_mapped)}`,
      ),
    `probability curve: ${curve}${ece === null ? '' : `, calibration error ${ece.toFixed(3)} (cross-fitted)`}`,
  ].join('\n');
}
