import type { Command } from 'commander';
import { shippedEntry } from '#calibration';
import { adviceOf, judge, type VerificationResult } from '#matching';
import { SCAN_FILES, sharedScans } from '#spectra';
import { Exit } from '../exit.js';
import { Matcher, MODEL_OPTION, openModelFolder } from '../matcher.js';
import { print } from '../print.js';
import { REJECT_TARGET_OPTION, rungOf } from '../rung.js';

interface Options {
  rough: string[];
  polish: string[];
  rejectTarget?: string;
  json?: boolean;
  model?: string;
}

export function register(command: Command): void {
  command
    .requiredOption('--rough <file...>', `scans of the rough: ${SCAN_FILES}, or folders of them`)
    .requiredOption('--polish <file...>', 'scans of the polish')
    .option(...REJECT_TARGET_OPTION)
    .option(...MODEL_OPTION)
    .option('--json', 'print the verification result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mvs verify --rough S1_rough_*.csv --polish S1_polish_1.csv
  mvs verify --rough S1.zip --polish polish/S1/ --reject-target 0.96 --json`,
    )
    .action(verify);
}

async function verify(options: Options): Promise<void> {
  const rung = rungOf(options.rejectTarget);
  const { model, asset } = openModelFolder(options.model);
  const matcher = await Matcher.open(model);
  try {
    const rough = await matcher.measureFiles('rough', options.rough);
    const polish = await matcher.measureFiles('polish', options.polish);
    const judged = judge({ rough, polish, entry: shippedEntry(asset, rung), asset, model });
    const result = { ...judged, ...adviceOf(judged, sharedScans(rough, polish)) };
    print(options.json ? JSON.stringify(result, null, 2) : describe(result));
    process.exitCode = exitOf(result);
  } finally {
    await matcher.close();
  }
}

type Advised = VerificationResult & ReturnType<typeof adviceOf>;

function exitOf({ verdict, shared_scans }: Advised): number {
  if (shared_scans > 0) return Exit.review;
  return verdict === 'MATCH' ? 0 : Exit.noMatch;
}

const REVIEWED =
  'review: a NO_MATCH so probable is often a genuine claim; measure the stones again, or have a person look';

/** The action, with what to do where it is a review. */
function describeAction({ action, shared_scans: shared }: Advised): string {
  if (action !== 'review') return action;
  if (shared === 0) return REVIEWED;
  const said = shared === 1 ? 'a scan of the rough is a scan' : `${shared} scans of the rough are scans`;
  return (
    `review: ${said} of the polish too, number for number; such sides resemble each other whatever the stones are: ` +
    'check the files'
  );
}

/** The result as a person reads it. */
export function describe(result: Advised): string {
  const above = result.verdict === 'MATCH' ? 'above' : 'not above';
  const lines = [
    `${result.verdict}: score ${result.fused_score.toFixed(4)}, ${above} the threshold ${result.threshold.toFixed(4)}`,
    `  action                 ${describeAction(result)}`,
    `  reject target          ${result.reject_target.toFixed(2)} (${result.threshold_source})`,
    `  probability at 50:50   ${result.p_match_5050.toFixed(4)}`,
    `  genuine confirmed      ${result.expected_genuine_accept === null ? 'not known' : `${(100 * result.expected_genuine_accept).toFixed(1)}% expected`}`,
    `  scans                  ${result.n_rough_scans} rough, ${result.n_polish_scans} polish`,
    `  sharpness              ${result.rough_sharpness.toFixed(4)} rough, ${result.polish_sharpness.toFixed(4)} polish`,
    `  detail residual        ${result.rough_detail_residual.toFixed(3)} rough, ${result.polish_detail_residual.toFixed(3)} polish`,
    ...result.warnings.map((warning) => `  warning: ${warning}`),
    `  ${result.scope}`,
  ];
  return lines.join('\n');
}
