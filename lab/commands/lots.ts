import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder } from '#config/folder';
import { ThreadPool } from '#kit/threads/pool';
import { LOT_STONES, MIN_SCANS, OWN_PARCEL_STONES, specifiedBounds } from '#science/lots/bounds';
import { MEASURED_FILE, type MeasuredBounds, measuredIn } from '#science/lots/measured';
import { LOT_MODEL_FILE, type LotModel, lotModelFile, SESSION_TYPES, type SessionType } from '#science/lots/model';
import { USUAL_FILE, usualIn } from '#science/lots/reference-lots';
import { lotModelIn, shippedLotModel, shippedLotModelFolder } from '#science/lots/shipped';
import { CARD_FILE } from '#science/matching/folder';
import { ModelFileError } from '#science/matching/safetensors';
import { UsageError } from '../../apps/cli/exit.js';
import { numberWithin, wholeNumber, wholeWithin } from '../../apps/cli/numbers.js';
import { print, printError } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { MIN_PARCELS } from '../lots/bars.js';
import { MELEE_FAMILIES, type MeleeFamily } from '../lots/families.js';
import { lotFiles } from '../lots/lot-files.js';
import { type TrainedOnOwn, trainOnOwn } from '../lots/own.js';
import { describeHistory, ownLines } from '../lots/own-page.js';
import { listOwnParcels, type OwnParcel, readOwnParcels } from '../lots/own-parcels.js';
import { DIFFICULTY } from '../lots/parcel.js';
import {
  FULL_REPORT,
  JUDGED,
  type Judged,
  LOT_PARTS,
  type LotPart,
  measureFamily,
  nothingMeasured,
  QUICK_REPORT,
  QUOTED,
  REPORT_SEED,
  stepsOfFamily,
} from '../lots/report.js';
import { LOT_SCANS } from '../lots/scans.js';
import { FULL_TRAINING, stepsOf, type TrainedLots, trainLots } from '../lots/train.js';
import { tableOf } from '../report/text.js';
import { SIMULATOR_VERSION } from '../simulator/index.js';

const { minimum, maximum } = specifiedBounds.substitution;
const modelOption = (written: string) =>
  new Option('--model <folder>', `folder of the lot model; ${written} goes there`).default(
    shippedLotModelFolder(),
    'the shipped one',
  );

export function register(lots: Command): void {
  lots
    .command('simulate')
    .description(
      'Write simulated lots into a folder: <lot>/enrol/<stone>_<k>.csv, <lot>/return/<position>_<k>.csv, <lot>/truth.json.',
    )
    .requiredOption('--out <folder>', 'where to; created if needed')
    .option('--parcels <n>', 'parcels, one lot each', wholeNumber, 1)
    .option('--stones <n>', 'stones per lot', wholeWithin(LOT_STONES.min, LOT_STONES.max), 20)
    .addOption(
      new Option('--session-type <type>', 'how the stones lie under the microscope')
        .choices(SESSION_TYPES)
        .default('shaken'),
    )
    .option('--scans <k>', 'scans per stone and visit', wholeNumber, LOT_SCANS)
    .option('--seed <s>', 'another seed, other parcels', wholeNumber, 1)
    .addOption(
      new Option('--family <name>', 'which mines, microscope and physics').choices(MELEE_FAMILIES).default('test'),
    )
    .option(
      '--substitute <share>',
      'share of the members that are exchanged, 0 to 0.4',
      numberWithin(minimum, maximum),
      0,
    )
    .option('--twins', 'exchange them for the other stone of their rough, not for strangers')
    .option(
      '--history',
      'write <session type>/<lot>/ with what came back named as it went out, for mvs lots train --own',
    )
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mvs lots simulate --out history --history --parcels 12 --stones 40
  mvs lots simulate --out lots --parcels 3 --stones 20 --substitute 0.2
  mvs lots simulate --out lots --session-type table-up --family newest --substitute 0.1 --twins`,
    )
    .action(simulate);
  lots
    .command('train')
    .description('Fit a lot model on simulated melee, and on parcels of your own: encoder, cohort, bars.')
    .option('--out <folder>', 'where the model and its card go', 'var/lot-model')
    .option('--name <name>', 'name of the model', 'own')
    .option('--parcels <n>', 'parcels that the encoder is fitted on', wholeNumber, FULL_TRAINING.parcels)
    .option(
      '--own <folder>',
      'parcels of your own, that came back whole: they join the simulated ones and set the bars',
    )
    .option('--encoder <folder>', 'take the encoder of this lot model as it is, and fit cohort and bars')
    .option('--bar-parcels <n>', 'other parcels that the bars are set on', wholeNumber, FULL_TRAINING.bars)
    .option('--seed <n>', 'seed of the parcels', wholeNumber, 1)
    .option('--threads <n>', 'threads that simulate', wholeNumber, 2)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
The folder of --own holds <session type>/<parcel>/enrol/<stone>_<n>.<ext> and <session type>/<parcel>/return/<stone>_<n>.<ext>, a
stone having one name in both: at least ${MIN_PARCELS} parcels of a session type, of ${OWN_PARCEL_STONES.min} stones and ${MIN_SCANS} scans each. Bars are set by
cross-fitting: no stone is scored by an encoder that saw its parcel. Session types without parcels keep simulated bars.

Examples:
  mvs lots train
  mvs lots train --own history/ --name house --out var/house
  mvs lots train --parcels 40 --bar-parcels 20 --out var/small
  mvs lots train --encoder models/lots-2 --name house --out var/house`,
    )
    .action(train);
  lots
    .command('report')
    .description('Measure a lot model on parcels that nothing was fitted on; write its figures beside it.')
    .addOption(modelOption('measured.json'))
    .addOption(
      new Option('--family <name...>', 'measure on these and keep the other figures')
        .choices(JUDGED)
        .default([...JUDGED]),
    )
    .addOption(
      new Option(
        '--part <name...>',
        'measure these and keep the other figures: accuracy, how right answers are about their lot',
      )
        .choices(LOT_PARTS)
        .default([...LOT_PARTS]),
    )
    .option('--quick', 'few parcels: shows that the report works, says little')
    .option('--seed <n>', 'seed of the parcels', wholeNumber, REPORT_SEED)
    .option('--threads <n>', 'threads that simulate', wholeNumber, 2)
    .option('--json', 'print the figures')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs lots report\n  mvs lots report --part answers\n  mvs lots report --model var/small --quick',
    )
    .action(report);
}

interface SimulateOptions {
  out: string;
  parcels: number;
  stones: number;
  sessionType: SessionType;
  scans: number;
  seed: number;
  family: MeleeFamily;
  substitute: number;
  twins?: true;
  history?: true;
  json?: true;
}

function simulate(options: SimulateOptions): void {
  const { out, parcels, stones, sessionType: session, scans, seed, family, substitute, twins = false } = options;
  const { history: named = false } = options;
  if (named && substitute > 0)
    throw new UsageError('--history is of stones that nobody exchanged: leave out --substitute');
  const progress = showProgress('lots', parcels);
  let files = 0;
  try {
    for (let parcel = 0; parcel < parcels; parcel++) {
      const lot = lotFiles({ family, seed, parcel, stones, session, scans, substitution: substitute, twins, named });
      const folder = named ? join(out, session, lot.name) : join(out, lot.name);
      for (const part of ['enrol', 'return']) makeFolder(join(folder, part));
      for (const { name, data } of lot.files) writeFileSync(join(folder, name), data);
      files += lot.files.length;
      progress.advance();
    }
  } finally {
    progress.stop();
  }
  const made = `${files} files of ${parcels} simulated ${parcels === 1 ? 'lot' : 'lots'} of ${stones} (${family}, ${session}, seed ${seed}): ${out}`;
  print(options.json ? JSON.stringify({ out, files, parcels, stones, family, session, seed }) : made);
}

interface TrainOptions {
  out: string;
  name: string;
  parcels: number;
  encoder?: string;
  own?: string;
  barParcels: number;
  seed: number;
  threads: number;
  json?: true;
}

async function train({ out, encoder: from, own: folder, barParcels, ...options }: TrainOptions): Promise<void> {
  const { name, seed, threads, json } = options;
  const encoder = from === undefined ? undefined : lotModelIn(from);
  const parcels = encoder ? 0 : options.parcels;
  const plan = { ...FULL_TRAINING, name, seed, parcels, bars: barParcels };
  // Files are read first: what is wrong with them is said before minutes of simulation.
  const own = folder === undefined ? undefined : await readHistory(folder, encoder);
  const pool = new ThreadPool({ threads });
  const progress = showProgress(
    'parcels',
    stepsOf(
      plan,
      own?.map(({ type }) => type),
    ),
  );
  const before = process.cpuUsage();
  const advance = (by: number) => progress.advance(by);
  let trained: TrainedLots & Partial<TrainedOnOwn>;
  try {
    trained = own ? await trainOnOwn(plan, own, pool, advance, encoder) : await trainLots(plan, pool, advance, encoder);
  } finally {
    progress.stop();
    await pool.close();
  }
  const { model, types, compared } = trained;
  const { user, system } = process.cpuUsage(before);
  const minutes = Math.round((user + system) / 6e6) / 10;
  const card = {
    kind: 'lots',
    name,
    digest: model.digest,
    simulated: own === undefined,
    command: `mvs lots train --name ${name} ${encoder ? `--encoder ${from}` : `--parcels ${parcels}`}${folder === undefined ? '' : ` --own ${folder}`} --bar-parcels ${barParcels} --seed ${seed}`,
    ...(encoder ? { encoder: encoder.digest } : {}),
    ...(own && types ? { own: { ...describeHistory(own), bars_of: types, compared } } : {}),
    node: process.version,
    processor_minutes: minutes,
    plan: { ...plan, simulator: SIMULATOR_VERSION, difficulty: DIFFICULTY },
    points: model.preprocessing[0].scale.length,
    between: Array.from(model.between.subarray(0, 12), (value) => Math.round(value * 100) / 100),
    bars: model.bars,
    bounds: specifiedBounds.stamped,
  };
  makeFolder(out);
  writeFileSync(join(out, LOT_MODEL_FILE), lotModelFile(model));
  writeFileSync(join(out, USUAL_FILE), `${JSON.stringify(trained.usual)}\n`);
  writeFileSync(join(out, CARD_FILE), `${JSON.stringify(card, null, 2)}\n`);
  if (json) print(JSON.stringify(card));
  else {
    const on = encoder ? `with the encoder of ${encoder.name}` : `on ${parcels} simulated parcels`;
    print(
      `Fitted ${name} ${on}${own ? ` and ${own.length} of your own` : ''} in ${minutes} minutes of processor time.`,
    );
    if (types && compared) print(ownLines(types, compared).join('\n'));
    print(`Lot model ${model.digest.slice(0, 16)} is in ${out}.`);
    print(`Next: mvs lots ${own ? `enrol SCANS --model ${out} --out LOT` : `report --model ${out}`}.`);
  }
}

/** @param encoder whose preprocessing says what a blank scan is; the shipped one by default */
async function readHistory(folder: string, encoder: LotModel = shippedLotModel()): Promise<OwnParcel[]> {
  const listed = await listOwnParcels(folder);
  const progress = showProgress('own parcels', listed.length);
  try {
    return await readOwnParcels(listed, encoder, printError, () => progress.advance());
  } finally {
    progress.stop();
  }
}

/** Answers would quote figures of simulated parcels for lots that are like own ones. */
function refuseOwn(folder: string, model: LotModel): void {
  if (usualIn(folder, model)?.own)
    throw new UsageError(
      `${folder} holds a model of own parcels: what is usual and measured of them stands in ${USUAL_FILE} and ${CARD_FILE}, and not on simulated ones`,
    );
}

interface ReportOptions {
  family: Judged[];
  part: LotPart[];
  model: string;
  quick?: true;
  seed: number;
  threads: number;
  json?: true;
}

async function report({ model: folder, family: families, part: parts, ...options }: ReportOptions): Promise<void> {
  const { quick, seed, threads, json } = options;
  const model = lotModelIn(folder);
  refuseOwn(folder, model);
  const file = join(folder, MEASURED_FILE);
  const extents = quick ? QUICK_REPORT : FULL_REPORT;
  const pool = new ThreadPool({ threads });
  const progress = showProgress(
    'parcels',
    families.reduce((sum, family) => sum + stepsOfFamily(extents[family], parts), 0),
  );
  const advance = (by: number) => progress.advance(by);
  let figures = knownFigures(folder, model, seed);
  try {
    for (const family of families) {
      const of = { model, usual: usualIn(folder, model) };
      figures = await measureFamily(figures, of, pool, { ...extents[family], family, seed, parts }, advance);
      writeFileSync(file, `${JSON.stringify(figures, rounded)}\n`);
    }
  } finally {
    progress.stop();
    await pool.close();
  }
  if (json) print(JSON.stringify(figures, rounded));
  else print(`${tableOf(figures.cells.filter(({ substitution }) => substitution === QUOTED))}\n\n${file} is written.`);
}

/** Figures measured before, where they are of this model and seed. */
function knownFigures(folder: string, model: LotModel, seed: number): MeasuredBounds {
  try {
    const known = measuredIn(folder, model);
    if (known?.seed === seed) return known;
  } catch (error) {
    if (!(error instanceof ModelFileError)) throw error;
  }
  return nothingMeasured(model, seed);
}

/** Four decimals: far finer than any interval. */
const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value);
