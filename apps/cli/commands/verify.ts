import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { shippedEntry } from '#science/calibration/asset';
import { actionReasons, adviceOf } from '#science/matching/action';
import { judge } from '#science/matching/verdict';
import { compareSides, onReferenceAxis } from '#science/spectra/compare';
import { readScanFiles } from '#science/spectra/files';
import { SCAN_FILES } from '#science/spectra/names';
import { type Side, type Unused } from '#science/spectra/refusal';
import type { ScanSet } from '#science/spectra/scan-set';
import { sharedScans } from '#science/spectra/shared-scans';
import { stonesOf } from '#science/spectra/stone-names';
import { Exit } from '../exit.js';
import { readInputs, tellUnused } from '../files.js';
import { exitWith } from '../io.js';
import { Matcher, type MeasuredSide, MODEL_OPTION, openModelFolder } from '../matcher.js';
import { print, printError } from '../print.js';
import { REJECT_TARGET_OPTION, rungOf } from '../rung.js';
import { type Advised, meaningOf, type ReportedClaim } from '../verdict-words.js';

interface Options {
  rough: string[];
  polish: string[];
  rejectTarget?: string;
  json?: boolean;
  model?: string;
  report?: string;
  plot?: string;
}

export function register(command: Command): void {
  command
    .requiredOption('--rough <file...>', `scans of the rough: ${SCAN_FILES}, or folders of them`)
    .requiredOption('--polish <file...>', 'scans of the polish')
    .option(...REJECT_TARGET_OPTION)
    .option(...MODEL_OPTION)
    .option('--json', 'print the answer as JSON')
    .option('--report <html>', 'write a page with pictures of the scans, the score and the gauges')
    .option('--plot <svg>', 'draw both sides over each other into this file')
    .addHelpText(
      'after',
      `
Examples:
  mvs verify --rough S1_rough_*.csv --polish S1_polish_1.csv
  mvs verify --rough S1.zip --polish polish/S1/ --reject-target 0.96 --json
  mvs verify --rough S1_rough_*.0 --polish S1_polish.0 --report S1.html`,
    )
    .action(verify);
}

async function verify(options: Options): Promise<void> {
  const rung = rungOf(options.rejectTarget);
  const { model, asset } = openModelFolder(options.model);
  const matcher = await Matcher.open(model);
  try {
    const read = async (side: Side) => {
      const listed: Unused[] = [];
      const set = await readScanFiles(side, await readInputs(side, options[side], listed));
      const unused = [...listed, ...(set.unused ?? [])];
      tellUnused(unused);
      return { set, unused, measured: await matcher.measure(set) };
    };
    const sides = { rough: await read('rough'), polish: await read('polish') };
    const stone_ids = stonesOf({ rough: namesOf(sides.rough.set), polish: namesOf(sides.polish.set) });
    const rough = { ...sides.rough.measured, references: stone_ids.rough };
    const polish = { ...sides.polish.measured, references: stone_ids.polish };
    const entry = shippedEntry(asset, rung);
    const judged = judge({ rough, polish, entry, asset, model });
    const shared = sharedScans(onAxis(sides.rough.set), onAxis(sides.polish.set));
    const reasons = actionReasons({ result: judged, entry, rough, polish, sharedScans: shared });
    const unused = [...sides.rough.unused, ...sides.polish.unused];
    const advised = { ...judged, ...adviceOf(judged, shared, reasons) };
    const result = { ...advised, stone_ids, ...(unused.length > 0 && { unused }) };
    print(options.json ? JSON.stringify(result, null, 2) : describe(result));
    await draw({ result, sides, asset, model }, options);
    exitWith(exitOf(result));
  } finally {
    await matcher.close();
  }
}

const onAxis = ({ scans }: ScanSet) => scans.map(onReferenceAxis);

function exitOf({ verdict, action, shared_scans }: Advised): number {
  if (shared_scans > 0 || (verdict === 'MATCH' && action === 'review')) return Exit.review;
  return verdict === 'MATCH' ? 0 : Exit.noMatch;
}

interface Judged extends Pick<ReportedClaim, 'result' | 'asset' | 'model'> {
  sides: Record<Side, { set: ScanSet; measured: MeasuredSide }>;
}

/** Writes the page and the picture that are asked for. */
async function draw({ sides: { rough, polish }, ...judged }: Judged, options: Options): Promise<void> {
  if (options.report === undefined && options.plot === undefined) return;
  const compared = compareSides(rough.set.scans, polish.set.scans);
  // The charting library takes longer to load than a claim to judge.
  if (options.plot !== undefined) {
    const { plotSides } = await import('../plot.js');
    await writeFile(options.plot, plotSides(compared, 'mvs verify'));
    printError(`mvs: picture written to ${options.plot}`);
  }
  if (options.report !== undefined) {
    const { verifyReport } = await import('../verify-report.js');
    const sideOf = ({ set, measured: { gauges } }: Judged['sides'][Side]) => ({ files: filesOf(set), gauges });
    const sides = { rough: sideOf(rough), polish: sideOf(polish) };
    await writeFile(options.report, verifyReport({ ...judged, compared, sides, at: new Date().toISOString() }));
    printError(`mvs: report written to ${options.report}`);
  }
}

const namesOf = ({ scans }: ScanSet): string[] => scans.flatMap(({ file }) => file ?? []);
const filesOf = (set: ScanSet): string[] => namesOf(set).map((file) => basename(file));

/** The result as a person reads it. */
export function describe(result: Advised): string {
  const meaning = meaningOf(result);
  const above = result.verdict === 'MATCH' ? 'above' : 'not above';
  const lines = [
    `${result.verdict}: score ${result.fused_score.toFixed(4)}, ${above} the threshold ${result.threshold.toFixed(4)}`,
    `  action                 ${result.action}: ${meaning.means}`,
    `  to do                  ${meaning.todo}`,
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
