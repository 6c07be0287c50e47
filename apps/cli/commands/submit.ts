import { type Command, Option } from 'commander';
import { type PairFinder, pairsByName, pairsByTable, readClaim } from '../claim-files.js';
import { Exit, UsageError } from '../exit.js';
import { tellUnused } from '../files.js';
import { exitWith } from '../io.js';
import { openClient } from '../open-client.js';
import { paceOf, rateOf } from '../pace.js';
import { NAMES, requirePairs } from '../pairs.js';
import { print, printError } from '../print.js';
import { REJECT_TARGET_OPTION, rungOf } from '../rung.js';
import { COLUMNS, REFUSED, type Row, Submission, type Truth } from '../submission.js';
import { AnswerTable, readNamedColumns } from '../table.js';
import { lockTable } from '../table-lock.js';

interface Options {
  url?: string;
  keyFile?: string;
  out?: string;
  pattern?: string;
  pairs?: string;
  label?: string;
  rejectTarget?: string;
  rate?: number;
  again?: 'refused';
  watch?: boolean;
  every: number;
  dryRun?: boolean;
  json?: boolean;
}

export function register(command: Command): void {
  command
    .argument('<folder>', `files named ${NAMES}`)
    .option('--url <url>', 'address of the service')
    .option('--key-file <file>', 'file that holds the API key')
    .option('--out <file>', 'the table of answers; a run that was stopped goes on where it was')
    .option(
      '--pattern <template>',
      'of file names: {stone}, {side} (rough, polish, r or p), {scan} (a number), * (anything); or a regular expression with the groups (?<stone>...) and (?<side>...)',
    )
    .option('--pairs <file>', 'a table with the columns rough and polish (files, separated by ;), and stone')
    .option('--label <file>', 'a table with the columns stone and expected (match or no_match): sent as labels')
    .option(...REJECT_TARGET_OPTION)
    .option('--rate <number>', 'most claims in a second', rateOf)
    .addOption(new Option('--again <status>', 'send again what the table holds as this').choices(['refused']))
    .option('--watch', 'wait for new files; a pair is sent once its files no longer change')
    .option('--every <seconds>', 'with --watch: between two looks', secondsOf, 10)
    .option('--dry-run', 'print what would be sent, and send nothing')
    .option('--json', 'print each answer as JSON, one per line')
    .addHelpText(
      'after',
      '\nExample:\n  mvs submit scans --url https://match.example --key-file key.txt --out answers.csv',
    )
    .action(run);
}

async function run(folder: string, options: Options): Promise<void> {
  const { out, pattern, pairs, watch = false, json = false } = options;
  if (pattern !== undefined && pairs !== undefined) throw new UsageError('give --pattern or --pairs, not both');
  const findPairs = pairs === undefined ? pairsByName(folder, pattern) : pairsByTable(folder, pairs);
  const table = out === undefined ? undefined : new AnswerTable<Row>(out, COLUMNS, 1);
  if (options.dryRun) return dryRun(findPairs, table, options);
  const { url, keyFile, label } = options;
  if (url === undefined || keyFile === undefined || table === undefined) {
    throw new UsageError('--url, --key-file and --out are needed (without them: --dry-run)');
  }
  // The submission waits and says so; the client's own attempts would be silent.
  const service = openClient(url, keyFile, { maxRetries: 0 });
  const truth = label === undefined ? new Map() : truthOf(label);
  const rejectTarget = targetOf(options);
  const pace = paceOf(options.rate);
  const lock = lockTable(table.file);
  const submission = new Submission({
    findPairs,
    table,
    service,
    truth,
    rejectTarget,
    refusedAgain: options.again === 'refused',
    pace,
    watch,
    everyMs: options.every * 1000,
    answered: (row) => {
      if (json) print(JSON.stringify(row));
      else if (watch) print(lineOf(row));
    },
  });
  const stop = () => submission.stop();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    const { refused, left, stopped } = await submission.run();
    if (left > 0 || (stopped && !watch)) exitWith(Exit.fault);
    else if (refused > 0) exitWith(Exit.refused);
  } finally {
    for (const line of submission.tally.summary()) printError(`mvs: ${line}`);
    lock.release();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

async function dryRun(findPairs: PairFinder, table: AnswerTable<Row> | undefined, options: Options): Promise<void> {
  const { json, again } = options;
  const target = targetOf(options);
  const { pairs, incomplete, unused } = await findPairs();
  tellUnused(unused);
  requirePairs({ pairs, incomplete, unused });
  const held = (table?.read() ?? []).filter(({ verdict }) => again === undefined || verdict !== REFUSED);
  const known = new Set(held.map(({ pair }) => pair));
  for (const pair of pairs) {
    const { stone, rough, polish } = pair;
    const plan = { stone, rough, polish, answered: known.has((await readClaim(pair, target)).digest) };
    print(
      json
        ? JSON.stringify(plan)
        : `${stone}  ${plan.answered ? 'answered already' : 'to send'}  ${rough.join(' ')}  ${polish.join(' ')}`,
    );
  }
  for (const stone of incomplete) printError(`mvs: ${stone}: only one side is there`);
}

const targetOf = ({ rejectTarget }: Options) => (rejectTarget === undefined ? undefined : rungOf(rejectTarget));

const lineOf = ({ stone, verdict, action, p_match_5050, claim_id, code, fix }: Row): string =>
  [stone, verdict, action, p_match_5050, claim_id, code, fix].filter(Boolean).join('  ');

function truthOf(file: string): Truth {
  return new Map(
    readNamedColumns(file)
      .filter(({ expected }) => expected !== '')
      .map(({ stone, expected }) => {
        if (!stone || (expected !== 'match' && expected !== 'no_match')) {
          throw new UsageError(`--label: ${file} needs the columns stone and expected (match or no_match)`);
        }
        return [stone, expected];
      }),
  );
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3600)) throw new UsageError(`--every: ${text} is no number above 0 and up to 3600`);
  return seconds;
}
