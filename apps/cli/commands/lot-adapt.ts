/** `mvs lots adapt`: a lot scorer of one's own, from lots that went out and came back. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { limits, lotLimitsOf } from '#config/limits';
import type { ReadLot } from '#kit/queue/lots/port';
import { readLot } from '#kit/queue/lots/work';
import { readLotFolder } from '#science/lots/folder';
import { enrolLot } from '#science/lots/lot';
import { type LotModel, SESSION_TYPES, type SessionType } from '#science/lots/model';
import {
  type CheckedHistory,
  type LotScorerFigures,
  proposeLotScorer,
  SCORER_LOTS,
} from '#science/lots/scorer/propose';
import { shippedLotModelFolder } from '#science/lots/shipped';
import { digestOf, type Purpose, refuseEnrolmentScans } from '#science/lots/stones';
import { Refusal, type Unused } from '#science/spectra/refusal';
import { InputError } from '../exit.js';
import { listInputs, readInput, tellUnused } from '../files.js';
import { writeLotScorer } from '../lot-scorer-file.js';
import { print, printError } from '../print.js';
import { showProgress } from '../progress.js';

interface Options {
  out: string;
  sessionType: SessionType;
  model?: string;
  json?: true;
}

export function register(lots: Command): void {
  lots
    .command('adapt')
    .description(
      'Fit a lot scorer of your own on lots that went out and came back; for stones that the model does not know.',
    )
    .argument('<folder>', 'a folder a lot: <lot>/enrol/<stone>_<n>.<ext> and <lot>/return/<position>_<n>.<ext>')
    .requiredOption('--out <file>', 'the scorer, as JSON: mvs lots check --scorer takes it')
    .addOption(new Option('--session-type <type>', 'how the stones lay').choices(SESSION_TYPES).makeOptionMandatory())
    .option('--model <folder>', 'folder of the lot model (default: the shipped one)')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
At least ${SCORER_LOTS.least} lots that enrol marks as NOT usual, better ${SCORER_LOTS.better}; of more than ${SCORER_LOTS.most} the last by name are taken. You need not know what
was exchanged; about a fifth of a return may be. Each figure is of a scorer whose map,
variances and cohort never saw the lot.

Examples:
  mvs lots adapt history/ --session-type shaken --out scorer.json
  mvs lots check spring.json returned/ --scorer scorer.json`,
    )
    .action(adapt);
}

async function adapt(folder: string, { out, sessionType, model: from, json }: Options): Promise<void> {
  const { model, usual } = readLotFolder(from ?? shippedLotModelFolder());
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort(new Intl.Collator('en', { numeric: true }).compare);
  const progress = showProgress('lots', names.length);
  const history: CheckedHistory[] = [];
  try {
    for (const name of names) {
      const [enrolled, returned] = [
        await visit(folder, name, 'enrol', model),
        await visit(folder, name, 'return', model),
      ];
      refused(join(folder, name), () => refuseEnrolmentScans(enrolled.stones, returned.stones));
      const { fit } = enrolLot(model, enrolled, sessionType, usual);
      if (fit?.usual === false) history.push(historyOf(enrolled, returned, sessionType));
      else
        printError(`mvs: ${join(folder, name)} is left out: the lot is like those that the model’s bars were set on`);
      progress.advance();
    }
  } finally {
    progress.stop();
  }
  const made = proposeLotScorer(model, history);
  if ('reason' in made) throw new InputError(`no scorer can be made of ${folder}: ${made.reason}`);
  const digest = await writeLotScorer(out, model, made);
  print(
    json ? JSON.stringify({ file: out, digest, figures: made.figures }, null, 2) : described(made.figures, digest, out),
  );
}

const historyOf = (enrolled: ReadLot, returned: ReadLot, session_type: SessionType): CheckedHistory => ({
  lot_id: digestOf(enrolled.stones),
  check_id: digestOf(returned.stones),
  session_type,
  stones: returned.stones.map(({ stone }) => stone),
  members: enrolled.vectors,
  returned: returned.vectors,
});

async function visit(folder: string, lot: string, part: 'enrol' | 'return', model: LotModel): Promise<ReadLot> {
  const path = join(folder, lot, part);
  const unused: Unused[] = [];
  const inputs = await listInputs([path], unused).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new InputError(`${path} is missing: a lot has scans in enrol and in return`);
    throw error;
  });
  const files = await Promise.all(inputs.map((file) => readInput(file)));
  const purpose: Purpose = part === 'enrol' ? 'enrol' : 'check';
  try {
    const read = await readLot({ purpose, files }, model, lotLimitsOf(limits));
    tellUnused([...unused, ...read.unused]);
    return read;
  } catch (error) {
    if (error instanceof Refusal) throw new InputError(`${path}: ${error.detail}`);
    throw error;
  }
}

function refused(path: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof Refusal) throw new InputError(`${path}: ${error.detail}`);
    throw error;
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

function described(figures: LotScorerFigures, digest: string, out: string): string {
  const { lots, members, returned, copies, confirmed, caught, one_stone_false_accept: alone } = figures;
  return [
    `Fitted on ${lots} lots: ${members} members, ${returned} stones that came back${copies > 0 ? `; ${copies} lots of stones that stand in another one were left out` : ''}`,
    '                         model, own scorer (rehearsed on these lots)',
    `  substitutes caught     ${percent(caught.shipped)}, ${percent(caught.workspace)}`,
    `  one stone alone        ${percent(alone.shipped)}, ${percent(alone.workspace)} would be confirmed as some member`,
    `  returned confirmed     ${confirmed.shipped}, ${confirmed.workspace} of ${returned}`,
    `lot scorer ${digest.slice(0, 16)} written to ${out}`,
  ].join('\n');
}
