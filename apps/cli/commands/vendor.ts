import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import Papa from 'papaparse';
import { readVariables, VENDOR_VARIABLES } from '#config';
import {
  formatStoneId,
  IdentifierError,
  type Provenance,
  type StoneId,
  VendorClient,
  VendorFault,
  VendorRefusal,
} from '#vendor';
import { Exit, UsageError } from '../exit.js';
import { showProgress } from '../progress.js';

interface Options {
  csv?: string;
  out?: string;
  json?: boolean;
}

type Status = 'found' | 'not-found' | 'refused';

/** One identifier and what became of it. */
interface Outcome {
  asked: string;
  status: Status;
  stone_id: string;
  provenance_id: string;
  reason: string;
}

const COLUMNS = ['asked', 'status', 'stone_id', 'provenance_id', 'reason'] as const;

/** Identifiers between two writes of the table: what a stopped run has to ask again at most. */
const CHUNK = 32;

interface Kind {
  name: 'barcode' | 'stone';
  text: string;
  ask(client: VendorClient, identifier: string): Promise<StoneId | Provenance>;
}

const KINDS: Kind[] = [
  {
    name: 'barcode',
    text: 'Ask the vendor which stones carry these barcodes',
    ask: (client, barcode) => client.stoneOf(barcode),
  },
  {
    name: 'stone',
    text: 'Ask the vendor for the provenance of these stones',
    ask: (client, stone) => client.provenanceOf(stone),
  },
];

export function register(program: Command): void {
  const vendor = program
    .command('vendor')
    .description("The vendor's stone lookups. Needs MVS_VENDOR_URL and MVS_VENDOR_KEY (or MVS_VENDOR_KEY_FILE).");
  for (const kind of KINDS) {
    vendor
      .command(kind.name)
      .description(`${kind.text}. Exits 1 where one is not found, 2 where one is refused, 4 where the vendor fails.`)
      .argument('[identifier...]', `the ${kind.name === 'stone' ? 'stone identifiers' : 'barcodes'}`)
      .option('--csv <file>', `a table with a column "${kind.name}", or its first column where none has that name`)
      .option('--out <file>', 'with --csv: the table of answers; a run that was stopped goes on where it was')
      .option('--json', 'print the answers as JSON, one a line')
      .addHelpText(
        'after',
        `
Examples:
  mvs vendor ${kind.name} ${kind.name === 'stone' ? 'AB1001.1 AB1002' : '100002 100003'}
  mvs vendor ${kind.name} --csv in.csv --out out.csv`,
      )
      .action((identifiers: string[], options: Options) => run(kind, identifiers, options));
  }
}

async function run(kind: Kind, identifiers: string[], options: Options): Promise<void> {
  const { csv, out, json } = options;
  if ((csv === undefined) !== (out === undefined)) throw new UsageError('--csv and --out go together');
  if (csv !== undefined && identifiers.length > 0) throw new UsageError('give identifiers or --csv, not both');
  if (csv === undefined && identifiers.length === 0) throw new UsageError('name at least one identifier, or --csv');
  if (csv !== undefined && !existsSync(csv)) throw new UsageError(`--csv: there is no file ${csv}`);
  const client = openClient();
  try {
    const statuses =
      csv !== undefined && out !== undefined
        ? await askTable(client, kind, columnOf(csv, kind.name), out)
        : await askAndPrint(client, kind, identifiers, json ?? false);
    if (statuses.has('refused')) process.exitCode = Exit.refused;
    else if (statuses.has('not-found')) process.exitCode = Exit.noMatch;
  } finally {
    await client.close();
  }
}

function openClient(): VendorClient {
  try {
    const { url, secret } = readVariables(VENDOR_VARIABLES, process.env);
    for (const [variable, value] of [
      [VENDOR_VARIABLES.url, url] as const,
      [VENDOR_VARIABLES.secret, secret] as const,
    ]) {
      if (value === '') throw new UsageError(`set ${variable.name}: ${variable.text}`);
    }
    return new VendorClient({ url, secret });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

/** @throws VendorFault: nothing is known of the identifier then */
async function outcomeOf(client: VendorClient, kind: Kind, asked: string): Promise<Outcome> {
  const nothing = { asked, stone_id: '', provenance_id: '', reason: '' };
  try {
    const answer = await kind.ask(client, asked);
    return 'provenanceId' in answer
      ? { ...nothing, status: 'found', stone_id: formatStoneId(answer.stoneId), provenance_id: answer.provenanceId }
      : { ...nothing, status: 'found', stone_id: formatStoneId(answer) };
  } catch (error) {
    if (error instanceof IdentifierError) return { ...nothing, status: 'refused', reason: error.message };
    if (!(error instanceof VendorRefusal)) throw error;
    return { ...nothing, status: error.reason === 'not-found' ? 'not-found' : 'refused', reason: error.message };
  }
}

async function askAndPrint(
  client: VendorClient,
  kind: Kind,
  identifiers: string[],
  json: boolean,
): Promise<Set<Status>> {
  const statuses = new Set<Status>();
  for (const identifier of identifiers) {
    const outcome = await outcomeOf(client, kind, identifier);
    statuses.add(outcome.status);
    const { asked, status, stone_id, provenance_id, reason } = outcome;
    console.log(
      json
        ? JSON.stringify(outcome)
        : `${asked}  ${[stone_id, provenance_id, reason].filter(Boolean).join('  ') || status}`,
    );
  }
  return statuses;
}

/** The identifiers of a table, in its order, blank ones left out. */
function columnOf(file: string, name: string): string[] {
  const rows = Papa.parse<string[]>(readFileSync(file, 'utf8').replace(/^\ufeff/, ''), {
    skipEmptyLines: 'greedy',
  }).data;
  const named = rows[0]?.findIndex((cell) => cell.trim().toLowerCase() === name) ?? -1;
  const column = named >= 0 ? rows.slice(1).map((row) => row[named]) : rows.map((row) => row[0]);
  const identifiers = column.map((cell) => cell?.trim() ?? '').filter((cell) => cell !== '');
  if (identifiers.length === 0) throw new UsageError(`--csv: ${file} holds no identifiers`);
  return identifiers;
}

/** Asks for all that the table of answers does not hold yet; what was answered is written before the next are asked. */
async function askTable(client: VendorClient, kind: Kind, identifiers: string[], out: string): Promise<Set<Status>> {
  const statuses = new Map(answered(out));
  const waiting = [...new Set(identifiers)].filter((identifier) => !statuses.has(identifier));
  const bar = showProgress('asking', waiting.length);
  let done = 0;
  try {
    for (; done < waiting.length; done += CHUNK) {
      const chunk = waiting.slice(done, done + CHUNK);
      const settled = await Promise.allSettled(chunk.map((identifier) => outcomeOf(client, kind, identifier)));
      const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      if (outcomes.length > 0) {
        appendFileSync(out, `${Papa.unparse(outcomes, { columns: [...COLUMNS], header: false, newline: '\n' })}\n`);
      }
      for (const { asked, status } of outcomes) statuses.set(asked, status);
      bar.advance(chunk.length);
      const failed = settled.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    }
  } catch (error) {
    if (!(error instanceof VendorFault)) throw error;
    throw new VendorFault(error.kind, `${error.message}; ${out} keeps what was answered: run it again to go on`);
  } finally {
    bar.stop();
  }
  return new Set(identifiers.map((identifier) => statuses.get(identifier)!));
}

/** What a table of answers holds; its half-written last line, if any, is cut off. */
function answered(out: string): [string, Status][] {
  if (!existsSync(out)) {
    writeFileSync(out, `${COLUMNS.join(',')}\n`);
    return [];
  }
  const bytes = readFileSync(out);
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  const { data } = Papa.parse<Outcome>(whole.toString('utf8'), { header: true, skipEmptyLines: true });
  if (!whole.toString('utf8').startsWith(COLUMNS.join(',')))
    throw new UsageError(`--out: ${out} is no table of answers`);
  if (whole.length < bytes.length) truncateSync(out, whole.length);
  return data.map(({ asked, status }) => [asked, status]);
}
