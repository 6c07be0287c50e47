import type { Command } from 'commander';
import { shippedEntry } from '#calibration';
import { judge, type VerificationResult } from '#matching';
import { SCAN_FILES, sharedScans } from '#spectra';
import { Exit } from '../exit.js';
import { Matcher, MODEL_OPTION, openModelFolder } from '../matcher.js';
import { complain, print } from '../print.js';
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
    const result = judge({ rough, polish, entry: shippedEntry(asset, rung), asset, model });
    const alarm = alarmOf(sharedScans(rough, polish));
    if (alarm !== undefined) complain(alarm);
    print(options.json ? JSON.stringify(result, null, 2) : describe(result));
    process.exitCode = result.verdict === 'MATCH' ? 0 : Exit.noMatch;
  } finally {
    await matcher.close();
  }
}

/** The verdict stands, and so does the exit code: the same scans on both sides are a matter for whoever sent them. */
const alarmOf = (shared: number): string | undefined =>
  shared === 0
    ? undefined
    : `alarm: ${shared === 1 ? 'a scan of the rough is a scan' : `${shared} scans of the rough are scans`} of the polish ` +
      'too, number for number: such sides resemble each other whatever the stones are; check the files';

/** The result as a person reads it. */
export function describe(result: VerificationResult): string {
  const above = result.verdict === 'MATCH' ? 'above' : 'not above';
  const lines = [
    `${result.verdict}: score ${result.fused_score.toFixed(4)}, ${above} the threshold ${result.threshold.toFixed(4)}`,
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
