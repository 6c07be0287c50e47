import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder } from '#config/folder';
import { ThreadPool } from '#kit/threads/pool';
import { simdCompute } from '#science/compute/cpu-engines';
import { UsageError } from '../../apps/cli/exit.js';
import { Matcher, openModelFolder } from '../../apps/cli/matcher.js';
import { wholeNumber } from '../../apps/cli/numbers.js';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { type Figures, PARTS, type PartName } from '../report/figures.js';
import { measuring, REPORT_SEED, stepsOf } from '../report/measure.js';
import { tableOf } from '../report/text.js';

/** The gauges know no model. */
const MODEL_FREE: PartName = 'gauges';
/** It measures the public scans. */
const OF_DATA: PartName = 'real';

interface Options {
  out: string;
  quick?: boolean;
  part?: PartName[];
  json?: true;
  seed: number;
  stones?: number;
  data?: string;
}

export function register(command: Command): void {
  command
    .option('--out <folder>', 'folder of figures.json and of tables.md, which shows it', 'reports/accuracy')
    .addOption(new Option('--part <name...>', 'measure these parts and keep the other figures').choices(PARTS))
    .option('--quick', 'few stones: shows that the report works, says little')
    .option('--stones <n>', "stones a population in place of the report's own numbers, but for the gauges", wholeNumber)
    .option('--json', 'print the figures too')
    .option('--seed <n>', 'seed of the stones', wholeNumber, REPORT_SEED)
    .option('--data <folder>', 'folder of the public scans; without it the part real is kept as it was')
    .addHelpText(
      'after',
      `
Examples:
  mvs report
  mvs report --part ladders
  mvs report --quick --out var/report`,
    )
    .action(report);
}

async function report({ seed, quick = false, data, out, part: asked, json, ...sizes }: Options): Promise<void> {
  if (asked?.includes(OF_DATA) && data === undefined)
    throw new UsageError(`the part ${OF_DATA} measures public scans: name their folder with --data`);
  if (data !== undefined && !existsSync(data)) throw new UsageError(`${data}: no such file or directory`);
  const wanted = PARTS.filter((part) => asked?.includes(part) ?? (part !== OF_DATA || data !== undefined));
  const file = join(out, 'figures.json');
  const { model, asset } = openModelFolder();
  const matcher = await Matcher.open(model);
  const figures = figuresIn(file, { model: model.digest, asset: asset.bank_digest, seed });
  const pool = new ThreadPool();
  const progress = showProgress(
    'measuring',
    wanted.reduce((sum, part) => sum + stepsOf(part), 0),
  );
  const measure = measuring({
    ...{ model, asset, seed, matcher, pool, quick, data, ...sizes },
    compute: simdCompute(),
    threads: availableParallelism(),
    advance: () => progress.advance(),
  });
  makeFolder(out);
  try {
    for (const part of wanted) {
      const before = process.cpuUsage();
      Object.assign(figures.parts, { [part]: await measure[part]() });
      const { user, system } = process.cpuUsage(before);
      figures.minutes = { ...figures.minutes, [part]: (user + system) / 60e6 };
      writeFileSync(file, `${JSON.stringify(figures, rounded)}\n`);
    }
  } finally {
    progress.stop();
    await pool.close();
    await matcher.close();
  }
  const page = join(out, 'tables.md');
  writeFileSync(page, tables(figures));
  print(json ? JSON.stringify(figures, rounded) : `written to ${file} and ${page}`);
}

const tables = ({ model, seed, parts }: Figures): string =>
  [
    `# Figures\n\nSimulated stones but for the part real, seed ${seed}, model \`${model.slice(0, 16)}\`; 95% intervals.`,
    ...PARTS.flatMap((part) => {
      const measured = parts[part];
      return measured ? [`## ${part}`, tableOf([measured].flat())] : [];
    }),
    '',
  ].join('\n\n');

/** The figures measured before, if they are of this model, asset and seed; of another model only the part without a model. */
function figuresIn(file: string, wanted: Omit<Figures, 'parts'>): Figures {
  const none: Figures = { ...wanted, parts: {} };
  if (!existsSync(file)) return none;
  const figures: Figures = JSON.parse(readFileSync(file, 'utf8'));
  if (figures.seed !== wanted.seed) return none;
  if (figures.model === wanted.model && figures.asset === wanted.asset) return figures;
  const { [MODEL_FREE]: kept } = figures.parts;
  return { ...none, parts: kept ? { [MODEL_FREE]: kept } : {} };
}

/** Five significant decimals: far finer than any interval. */
const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e5) / 1e5 : value);
