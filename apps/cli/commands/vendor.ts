import { existsSync, readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import Papa from 'papaparse';
import { readVariables, VENDOR_VARIABLES } from '#config/environment';
import { type Provenance, VendorClient } from '#vendor/client';
import { VendorFault, VendorRefusal } from '#vendor/errors';
import { formatStoneId, IdentifierError, type StoneId } from '#vendor/stone-id';
import { Exit, UsageError } from '../exit.js';
import { exitWith, io } from '../io.js';
import { paceOf, rateOf } from '../pace.js';
import { print } from '../print.js';
import { showProgress } from '../progress.js';
import { AnswerTable } from '../table.js';

interface Options {
  csv?: string;
  out?: string;
  json?: boolean;
  rate?: number;
  again?: Status;
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

/** Asks for one identifier. @throws VendorFault: nothing is known of it then */
type Ask = (identifier: string) => Promise<Outcome>;

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

export function register(vendor: Command): void {
  for (const kind of KINDS) {
    vendor
      .command(kind.name)
      .description(`${kind.text}. Exits 1 where one is not found, 2 where one is refused, 4 where the vendor fails.`)
      .argument('[identifier...]', `the ${kind.name === 'stone' ? 'stone identifiers' : 'barcodes'}`)
      .option('--csv <file>', `a table with a column "${kind.name}", or its first column where none has that name`)
      .option('--out <file>', 'with --csv: the table of answers; a run that was stopped goes on where it was')
      .addOption(
        new Option(
          '--again <status>',
          'with --csv: ask again for rows that the table of answers holds as this',
        ).choices(['refused', 'not-found']),
      )
      .option('--rate <number>', 'most identifiers asked for in a second', rateOf)
      .option('--json', 'print the answers as JSON, one per line')
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
  const { csv, out, json, rate, again } = options;
  if ((csv === undefined) !== (out === undefined)) throw new UsageError('--csv and --out go together');
  if (csv !== undefined && identifiers.length > 0) throw new UsageError('give identifiers or --csv, not both');
  if (csv === undefined && identifiers.length === 0) throw new UsageError('name at least one identifier, or --csv');
  if (csv !== undefined && !existsSync(csv)) throw new UsageError(`--csv: there is no file ${csv}`);
  if (again !== undefined && out === undefined) throw new UsageError('--again goes with --csv and --out');
  const client = openClient();
  const pace = paceOf(rate);
  const ask: Ask = async (identifier) => {
    await pace();
    return outcomeOf(client, kind, identifier);
  };
  try {
    const statuses =
      csv !== undefined && out !== undefined
        ? await askTable(ask, columnOf(csv, kind.name), out, again)
        : await askAndPrint(ask, identifiers, json ?? false);
    if (statuses.has('refused')) exitWith(Exit.refused);
    else if (statuses.has('not-found')) exitWith(Exit.noMatch);
  } finally {
    await client.close();
  }
}

function openClient(): VendorClient {
  try {
    const { url, secret } = readVariables(VENDOR_VARIABLES, io().env);
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

async function askAndPrint(ask: Ask, identifiers: string[], json: boolean): Promise<Set<Status>> {
  const statuses = new Set<Status>();
  for (const identifier of identifiers) {
    const outcome = await ask(identifier);
    statuses.add(outcome.status);
    const { asked, status, stone_id, provenance_id, reason } = outcome;
    print(
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
async function askTable(ask: Ask, identifiers: string[], out: string, again?: Status): Promise<Set<Status>> {
  const table = new AnswerTable<Outcome>(out, COLUMNS);
  const statuses = new Map(answered(table, again).map(({ asked, status }) => [asked, status]));
  const waiting = [...new Set(identifiers)].filter((identifier) => !statuses.has(identifier));
  const bar = showProgress('asking', waiting.length);
  let done = 0;
  try {
    for (; done < waiting.length; done += CHUNK) {
      const chunk = waiting.slice(done, done + CHUNK);
      const settled = await Promise.allSettled(chunk.map(ask));
      const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      table.append(outcomes);
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

/** The rows of a table of answers, less those to ask again. */
function answered(table: AnswerTable<Outcome>, again?: Status): Outcome[] {
  const rows = table.open();
  const kept = rows.filter(({ status }) => status !== again);
  if (kept.length < rows.length) table.replace(kept);
  return kept;
}
