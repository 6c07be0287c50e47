import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { InvalidReceipt, MatchVerification, type Receipt, type ReceiptKeys, verifyReceipt } from '#client';
import { readScanFiles } from '#science/spectra/files';
import { escapeControls, type Side } from '#science/spectra/refusal';
import { prepareSide } from '#science/spectra/scan-set';
import { Exit, InputError, UsageError } from '../exit.js';
import { readInputs } from '../files.js';
import { exitWith, io } from '../io.js';
import { print, printError } from '../print.js';

interface Options {
  keys?: string;
  url?: string;
  rough?: string[];
  polish?: string[];
  json?: boolean;
}

export function register(receipt: Command): void {
  receipt
    .command('verify')
    .description('Verify the receipt of a verdict offline. Exits 0 and prints what it says, 1 where it does not hold.')
    .argument('<file>', 'a receipt, or an answer with one; - reads the standard input')
    .option('--keys <file>', 'the answer of GET /api/v1, or its receipt_keys, as it was kept')
    .option('--url <url>', 'address of the service, which is asked for its keys')
    .option('--rough <file...>', 'scans of the rough: their digest is computed again')
    .option('--polish <file...>', 'scans of the polish')
    .option('--json', 'print what it says as JSON')
    .addHelpText('after', '\nExample:\n  mvs receipt verify answer.json --keys service.json --rough S1_rough_*.0')
    .action(verify);
}

async function verify(file: string, options: Options): Promise<void> {
  const keys = await keysOf(options);
  const given = receiptIn(file === '-' ? await text(io().stdin) : readFileSync(file, 'utf8'));
  try {
    const receipt = await verifyReceipt(given, keys);
    for (const side of ['rough', 'polish'] as const) await compare(receipt, side, options[side]);
    print(options.json ? JSON.stringify(receipt, null, 2) : describe(receipt, options));
  } catch (error) {
    if (!(error instanceof InvalidReceipt)) throw error;
    printError(`mvs: the receipt does not hold: ${escapeControls(error.message)}`);
    exitWith(Exit.unsound);
  }
}

async function keysOf({ keys, url }: Options): Promise<ReceiptKeys> {
  if ((keys === undefined) === (url === undefined))
    throw new UsageError('give --keys with the kept answer of GET /api/v1, or --url');
  if (keys === undefined) return (await new MatchVerification({ baseUrl: url! }).summary()).receipt_keys;
  const read = parsed(keys);
  const found = read?.receipt_keys ?? read;
  if (!Array.isArray(found?.keys)) throw new InputError(`${keys} holds no receipt_keys`);
  return found as ReceiptKeys;
}

function parsed(file: string): { receipt_keys?: ReceiptKeys; keys?: unknown } | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? new InputError(`${file} is no JSON`) : error;
  }
}

/** The text as it stands, or the member of an answer, also of one claim as `mvs claim --json` prints it. */
function receiptIn(content: string): string {
  const trimmed = content.trim();
  if (!trimmed.startsWith('{')) return trimmed;
  try {
    const { receipt, answer } = JSON.parse(trimmed) as { receipt?: unknown; answer?: { receipt?: unknown } };
    const found = receipt ?? answer?.receipt;
    if (typeof found === 'string') return found;
  } catch {
    // It has no receipt either.
  }
  throw new InputError('the answer has no receipt');
}

/** @throws InvalidReceipt where the files are not the scans of the claim */
async function compare(receipt: Receipt, side: Side, paths: string[] | undefined): Promise<void> {
  if (!paths) return;
  const { digest } = prepareSide(await readScanFiles(side, await readInputs(side, paths)));
  if (!digest.startsWith(receipt[side].digest) || receipt[side].digest.length !== 16)
    throw new InvalidReceipt(`the ${side} files are other scans: ${digest.slice(0, 16)}, not ${receipt[side].digest}`);
}

function describe(receipt: Receipt, { rough, polish }: Options): string {
  const stones = (side: Side) => receipt[side].stone_ids.join(', ') || 'no reference';
  const compared = (paths?: string[]) => (paths ? 'the same scans as the files' : 'not compared with files');
  return escapeControls(
    [
      `the receipt holds: ${receipt.verdict}, score ${receipt.fused_score}, threshold ${receipt.threshold}`,
      `  claim          ${receipt.claim_id} of ${receipt.key}, ${receipt.at}`,
      `  reject target  ${receipt.reject_target} (${receipt.threshold_source})`,
      `  rough          ${receipt.rough.digest} (${stones('rough')}): ${compared(rough)}`,
      `  polish         ${receipt.polish.digest} (${stones('polish')}): ${compared(polish)}`,
      `  model          ${receipt.model}, ladder ${receipt.ladder_revision}`,
    ].join('\n'),
  );
}
