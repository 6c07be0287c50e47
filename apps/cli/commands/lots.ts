/** Lots without a service: enrolled into a file, checked against it, rehearsed on it. */

import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { limits, lotLimitsOf } from '#config/limits';
import type { ReadLot } from '#kit/queue/lots/port';
import { readLot } from '#kit/queue/lots/work';
import { memberOf } from '#lots/decide';
import { namedClusters } from '#science/lots/clusters';
import type { LotFit } from '#science/lots/fit';
import { cohortBias, falseAcceptsOf, type LotFolder, readLotFolder } from '#science/lots/folder';
import { type CheckedLot, checkReturn, enrolLot, falseAcceptRates, membersOf, rowsOf } from '#science/lots/lot';
import { SESSION_TYPES, type SessionType } from '#science/lots/model';
import { MAX_SUBSTITUTION } from '#science/lots/rehearsal';
import { type Caught, cohortSubstitutes, MAX_SOURCES, type RehearsedLot, rehearseLot } from '#science/lots/rehearsed';
import { lotReport, trayOf } from '#science/lots/report';
import { shippedLotModelFolder } from '#science/lots/shipped';
import { type Purpose, refuseCopies, refuseEnrolmentScans } from '#science/lots/stones';
import { SCAN_FILES, stoneFromFileName } from '#science/spectra/names';
import type { Unused } from '#science/spectra/refusal';
import { Exit, UsageError } from '../exit.js';
import { listInputs, readInput, tellUnused } from '../files.js';
import { exitWith } from '../io.js';
import { type LotFile, lotFileOf, readLotFile, shownLot, writeLotFile } from '../lot-file.js';
import { numberWithin, wholeWithin } from '../numbers.js';
import { print } from '../print.js';
import { showProgress } from '../progress.js';
import * as changes from './lot-changes.js';

const MODEL_OPTION = ['--model <folder>', 'folder of the lot model (default: the shipped one)'] as const;
const SESSION_OPTION = () =>
  new Option('--session-type <type>', 'how the stones lay; read from the scans where it is left out').choices(
    SESSION_TYPES,
  );
/** The type decides the bar, and shaken and table-up sessions look too alike to be told apart from their scans. */
const ENROLLED_SESSION_OPTION = () =>
  new Option('--session-type <type>', 'how the stones lie: it decides the bar, so that it has to be said')
    .choices(SESSION_TYPES)
    .makeOptionMandatory();

export function register(lots: Command): void {
  lots
    .command('enrol')
    .description('Enrol a lot out of its scans, named <stone>_<n>.<ext>: vectors go into a file, no spectrum.')
    .argument('<scans...>', `${SCAN_FILES}, or folders of them: 10 to 60 stones, at least 3 scans each`)
    .requiredOption('--out <file>', 'the enrolled lot, as JSON')
    .option('--name <name>', 'name of the lot (default: that of the file)')
    .addOption(ENROLLED_SESSION_OPTION())
    .option(...MODEL_OPTION)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExamples:\n  mvs lots enrol spring/ --session-type table-up --out spring.json')
    .action(enrol);
  lots
    .command('check')
    .description('Say which stones of a returning lot are members. Exits 0 where all are confirmed, 1 where not.')
    .argument('<lot>', 'file that `mvs lots enrol` wrote')
    .argument('<scans...>', 'scans of what came back: 1 to 120 stones, at least 3 scans each')
    .addOption(SESSION_OPTION())
    .option(...MODEL_OPTION)
    .option('--tray <svg>', 'draw the tray into this file')
    .option('--report <html>', 'write a page to be printed into this file')
    .option('--operator <name>', 'who scanned, for the report')
    .option('--instrument <name>', 'instrument of the scans, for the report')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs lots check spring.json returned/ --session-type table-up --tray tray.svg' +
        '\n  mvs lots check spring.json returned/ --report check.html --operator "A. Meier"',
    )
    .action(check);
  lots
    .command('rehearse')
    .description('Say what of a substitution on a lot would be caught. The same seed, the same answer.')
    .argument('<lot>', 'file that `mvs lots enrol` wrote')
    .option(
      '--substitution <share>',
      `share of the places to vacate, 0 to ${MAX_SUBSTITUTION}`,
      numberWithin(0, MAX_SUBSTITUTION),
      0.2,
    )
    .option('--seed <n>', 'seed of the draws', wholeWithin(0, 2 ** 32 - 1), 1)
    .option('--draws <n>', 'draws', wholeWithin(1, 2000), 200)
    .option('--source <lot...>', 'other enrolled lots whose stones are offered (default: the model’s cohort)')
    .option(...MODEL_OPTION)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExamples:\n  mvs lots rehearse spring.json --substitution 0.1 --source autumn.json')
    .action(rehearse);
  changes.register(lots);
}

interface Common {
  model?: string;
  json?: boolean;
}

async function enrol(
  scans: string[],
  { out, name, sessionType, model: folder, json }: Common & { out: string; name?: string; sessionType: SessionType },
): Promise<void> {
  const { model, usual } = open(folder);
  const read = await readScans('enrol', scans, model);
  const lot = lotFileOf(
    name ?? basename(out).replace(/[.]json$/i, ''),
    read,
    enrolLot(model, read, sessionType, usual),
  );
  await writeLotFile(out, lot);
  const { stones, twins, fit, warnings, session_type, session_type_source } = lot;
  if (json) {
    print(shownLot(lot));
    return;
  }
  const count = stones.reduce((sum, one) => sum + one.scans, 0);
  print(
    [
      `${stones.length} stones of ${count} scans enrolled as ${lot.name}: ${out}`,
      `  session type           ${session_type} (${session_type_source})`,
      `  look-alikes            ${twins.length === 0 ? 'none' : namedClusters(twins)}`,
      `  fit                    ${describeFit(fit)}`,
      ...warnings.map((warning) => `  warning: ${warning}`),
    ].join('\n'),
  );
}

const describeFit = (fit: LotFit | null | undefined): string => {
  if (!fit) return 'not known: the model does not say what is usual';
  const { usual, look_alikes, distance } = fit;
  const parts = `${percent(look_alikes.share)} have a look-alike (usual: up to ${percent(look_alikes.usual_to)}), distance ${distance.value.toFixed(1)} (usual: up to ${distance.usual_to.toFixed(1)})`;
  return `${usual ? 'usual' : 'NOT usual'}: ${parts}`;
};

interface CheckOptions extends Common {
  sessionType?: SessionType;
  tray?: string;
  report?: string;
  operator?: string;
  instrument?: string;
}

async function check(
  lotPath: string,
  scans: string[],
  { sessionType, model: folder, tray, report, operator, instrument, json }: CheckOptions,
): Promise<void> {
  const { model, measured, usual } = open(folder);
  const lot = await readLotFile(lotPath, model);
  const read = await readScans('check', scans, model);
  refuseEnrolmentScans(lot.stones, read.stones);
  const members = lot.stones.map(memberOf);
  if (usual) refuseCopies(usual, { stones: members.map(({ stone }) => stone), vectors: rowsOf(members) }, read);
  const rates = falseAcceptsOf(measured, lot.stones.length);
  const checked = checkReturn(model, membersOf(members, lot), read, sessionType, rates, usual, null);
  const made = { ...checked, checked_at: new Date().toISOString(), model: model.digest, operator, instrument };
  if (tray !== undefined) await writeFile(tray, trayOf(lot, made));
  if (report !== undefined) await writeFile(report, lotReport(lot, made));
  print(json ? JSON.stringify(checked, null, 2) : describeCheck(lot, checked));
  if (tray !== undefined && !json) print(`Tray: ${tray}`);
  if (report !== undefined && !json) print(`Report: ${report}`);
  exitWith(checked.counts.not_confirmed === 0 ? 0 : Exit.noMatch);
}

function describeCheck(lot: LotFile, checked: CheckedLot): string {
  const { stones, members, false_accept, fit, warnings, scope, session_type, session_type_source } = checked;
  const width = Math.max(...stones.map(({ stone }) => stone.length), 4);
  const unaccounted = members.filter(({ accounted }) => !accounted).map(({ stone }) => stone);
  return [
    `${lot.name} (${lot.stones.length} members): ${checked.verdict}`,
    ...stones.map(({ stone, outcome, why, member, margin, probability }) => {
      const sign = margin >= 0 ? '+' : '-';
      const words = { confirmed: `is ${member}`, scan_again: 'scan again', not_confirmed: 'not confirmed' }[outcome];
      const more = [
        `margin ${sign}${Math.abs(margin).toFixed(1)}`,
        ...(probability === null ? [] : [`${percent(probability)} likely`]),
        ...(why === null ? [] : [why]),
      ];
      return `  ${stone.padEnd(width)}  ${words.padEnd(16)} ${more.join(', ')}`;
    }),
    `  not accounted for      ${unaccounted.length === 0 ? 'none' : unaccounted.join(', ')}`,
    `  session type           ${session_type} (${session_type_source})`,
    `  fit                    ${describeFit(fit)}`,
    '  foreign stones confirmed by mistake, put in one by one',
    ...falseAcceptRates(false_accept).map(([of, rate]) => `    ${of.padEnd(22)} ${rate}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
    `  ${scope}`,
  ].join('\n');
}

async function rehearse(
  lotPath: string,
  {
    substitution,
    seed,
    draws,
    source,
    model: folder,
    json,
  }: Common & {
    substitution: number;
    seed: number;
    draws: number;
    source?: string[];
  },
): Promise<void> {
  const { model, measured, usual } = open(folder);
  const lot = await readLotFile(lotPath, model);
  if (source !== undefined && source.length > MAX_SOURCES)
    throw new UsageError(`--source takes ${MAX_SOURCES} lots at most`);
  const others = await Promise.all((source ?? []).map((path) => readLotFile(path, model)));
  if (others.some(({ digest }) => digest === lot.digest))
    throw new UsageError('--source names the lot itself: name others');
  const own = source && rowsOf(others.flatMap(({ stones }) => stones).map(memberOf));
  const wish = { substitution, seed, draws, source: source ?? ('cohort' as const) };
  const flattery = cohortBias(measured, lot.session_type, lot.stones.length);
  const members = membersOf(lot.stones.map(memberOf), lot);
  const result = rehearseLot(model, members, wish, cohortSubstitutes(model), {
    ...{ own, measured: flattery, usual },
    scoring: null,
  });
  print(json ? JSON.stringify(result, null, 2) : describeRehearsal(lot, result));
}

const OFFERED_WORDS = { members: 'of its own members', cohort: 'of the cohort', lots: 'of the lots named' };

function describeRehearsal(lot: LotFile, result: RehearsedLot): string {
  const { caught, vacated, draws, offered, one_stone_false_accept, falsely_matched, invisible_swaps, notes } = result;
  const shareOf = ({ share, interval }: Caught) => `${percent(share)} (${interval.map(percent).join(' to ')})`;
  const flatters = result.cohort_flatters_by;
  return [
    caught === null
      ? `Nothing can be promised of an exchange in ${lot.name}`
      : `${shareOf(caught)} of ${offered} substitutes would be caught in ${lot.name}`,
    ...(caught === null
      ? []
      : result.tried.map((one) => `  ${OFFERED_WORDS[one.substitutes].padEnd(22)} ${shareOf(one.caught)} caught`)),
    `  draws                  ${draws}, ${vacated} of ${lot.stones.length} places vacated in each`,
    `  one stone alone        ${percent(one_stone_false_accept)} would be confirmed as some member`,
    `  matched falsely        ${falsely_matched.length === 0 ? 'none' : falsely_matched.map(({ stone, times }) => `${stone} (${times})`).join(', ')}`,
    `  invisible swaps        ${invisible_swaps.length === 0 ? 'none' : namedClusters(invisible_swaps)}`,
    ...(flatters === null ? [] : [`  the cohort flatters by ${(100 * flatters).toFixed(1)} points`]),
    ...notes.map((note) => `  ${note}`),
  ].join('\n');
}

const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;

const open = (folder = shippedLotModelFolder()): LotFolder => readLotFolder(folder);

async function readScans(purpose: Purpose, paths: string[], model: LotFolder['model']): Promise<ReadLot> {
  const unused: Unused[] = [];
  const inputs = await listInputs(paths, unused);
  const files = await Promise.all(inputs.map((path) => readInput(path)));
  // The contents of a zip are known only once it is read.
  const stones = new Set(inputs.map((path) => stoneFromFileName(path)?.stone ?? path));
  const progress = showProgress('stones', stones.size);
  try {
    const read = await readLot({ purpose, files }, model, lotLimitsOf(limits), () => progress.advance());
    unused.push(...read.unused);
    return read;
  } finally {
    progress.stop();
    tellUnused(unused);
  }
}
