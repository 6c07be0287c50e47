import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { makeFolder } from '#config/folder';
import { ThreadPool } from '#kit/threads/pool';
import { simdCompute } from '#science/compute/cpu-engines';
import { UsageError } from '../../apps/cli/exit.js';
import { Matcher, openModelFolder } from '../../apps/cli/matcher.js';
import { print, printError } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { writeBlock } from '../blocks.js';
import type { Chapter } from '../report/chapter.js';
import { accuracy } from '../report/chapter-accuracy.js';
import { evidence } from '../report/chapter-evidence.js';
import type { Figures } from '../report/figures.js';

interface Options {
  out: string;
  quick?: true;
  part?: string[];
  pages?: true;
  json?: true;
  draws?: number;
  stones?: number;
  population?: string[];
  seed?: number;
  data?: string;
}

const list = ({ parts }: { parts: readonly string[] }) => parts.join(', ');

export function register(command: Command): void {
  command
    .addArgument(
      new Argument('[chapter]', 'accuracy: how the model does; evidence: whether thresholds of a population hold')
        .choices(['accuracy', 'evidence'])
        .default('accuracy'),
    )
    .option(
      '--out <folder>',
      "folder of the page; pictures and figures.json go into its folder of the page's name",
      'reports',
    )
    .option(
      '--part <name...>',
      `measure these parts and keep the other figures: ${list(accuracy)}; of evidence: ${list(evidence)}`,
    )
    .option('--pages', 'write the page from the figures there are, without measuring')
    .option('--quick', 'few stones: shows that the report works, says little')
    .option('--draws <n>', "of populations' own scorers: draws of claims for each figure", wholeNumber)
    .option('--stones <n>', "of populations' own scorers: stones of each population", wholeNumber)
    .option('--population <name...>', "of populations' own scorers: these populations alone")
    .option('--json', 'print the figures too')
    .option(
      '--seed <n>',
      `seed of the stones; ${accuracy.seed}, and of evidence ${evidence.seed}, by default`,
      wholeNumber,
    )
    .option('--data <folder>', 'folder of the public scans; without it the part real is kept as it was')
    .addHelpText(
      'after',
      `
Examples:
  mvs report
  mvs report --part ladders
  mvs report evidence
  mvs report --quick --out var/report`,
    )
    .action((name: 'accuracy' | 'evidence', options: Options) =>
      name === 'accuracy' ? report(accuracy, options) : report(evidence, options),
    );
}

async function report<P extends object>(chapter: Chapter<P>, options: Options): Promise<void> {
  const { seed = chapter.seed, quick = false, data, draws, stones, population: populations } = options;
  const unknown = options.part?.find((part) => !chapter.parts.some((one) => one === part));
  if (unknown !== undefined)
    throw new UsageError(`${chapter.name} has no part ${unknown}; it has ${chapter.parts.join(', ')}`);
  const needsData = options.part?.find((part) => part === chapter.ofData);
  if (needsData !== undefined && data === undefined)
    throw new UsageError(`the part ${needsData} measures public scans: name their folder with --data`);
  if (data !== undefined && !existsSync(data)) throw new UsageError(`${data}: no such file or directory`);
  const asked = (part: string) => options.part?.includes(part) ?? (part !== chapter.ofData || data !== undefined);
  const wanted = options.pages ? [] : chapter.parts.filter(asked);
  const folder = join(options.out, chapter.name);
  const file = join(folder, 'figures.json');
  const { model, asset } = openModelFolder();
  const matcher = await Matcher.open(model);
  const read = () => figuresOf<P>(file, { model: model.digest, asset: asset.bank_digest, seed }, chapter);
  const figures = read();
  const foreign = foreignFigures(file, figures);
  if (options.pages && foreign)
    throw new UsageError(`${foreign}; ${commandOf(chapter, options)} measures them again, and writes the page`);
  if (foreign && existsSync(file) && wanted.length < chapter.parts.length)
    printError(`mvs: ${foreign}: the page is left with ${wanted.join(', ')} alone`);
  const pool = new ThreadPool();
  const progress = showProgress(
    'measuring',
    wanted.reduce((sum, part) => sum + chapter.steps(part, { quick, draws, stones, populations }), 0),
  );
  const threads = availableParallelism();
  const means = {
    model,
    compute: simdCompute(),
    asset,
    seed,
    threads,
    matcher,
    pool,
    quick,
    draws,
    stones,
    populations,
    data,
  };
  const measure = chapter.measure({ ...means, advance: () => progress.advance() });
  makeFolder(folder);
  try {
    for (const part of wanted) {
      const before = process.cpuUsage();
      figures.parts[part] = await measure[part]();
      const { user, system } = process.cpuUsage(before);
      figures.minutes = { ...figures.minutes, [part]: (user + system) / 60e6 };
      writeFileSync(file, `${JSON.stringify(figures, rounded)}\n`);
    }
  } finally {
    progress.stop();
    await pool.close();
    await matcher.close();
  }
  // The page is made from the written figures, so that a page made from the file later is the same.
  const written = read();
  const source = `Simulated stones, seed ${seed}; model ${model.digest.slice(0, 16)}; ${commandOf(chapter, options)}`;
  for (const [name, picture] of Object.entries(chapter.draw(written.parts, source)))
    writeFileSync(join(folder, name), picture);
  const page = join(options.out, `${chapter.name}.md`);
  writeFileSync(page, chapter.page(written, asset));
  const block = chapter.block?.(written.parts);
  if (block && existsSync(join(options.out, block.page)))
    writeBlock(join(options.out, block.page), block.name, block.text);
  print(options.json ? JSON.stringify(written) : `written to ${page}`);
}

/** The reason against writing a page from the existing figures; undefined where there is none. */
function foreignFigures<P extends object>(file: string, { model, asset, seed }: Figures<P>): string | undefined {
  if (!existsSync(file)) return `there are no figures in ${file}`;
  const there: Figures<P> = JSON.parse(readFileSync(file, 'utf8'));
  const described = (of: Pick<Figures<P>, 'model' | 'asset' | 'seed'>) =>
    `of model ${of.model.slice(0, 16)}, asset ${of.asset.slice(0, 16)}, seed ${of.seed}`;
  if (described(there) === described({ model, asset, seed })) return undefined;
  return `the figures in ${file} are ${described(there)}, not ${described({ model, asset, seed })}`;
}

/** The command that measures a whole chapter with these options. */
const commandOf = <P extends object>(chapter: Chapter<P>, { out, seed }: Options) =>
  [
    'mvs report',
    chapter.name,
    ...(seed === undefined ? [] : [`--seed ${seed}`]),
    ...(out === 'reports' ? [] : [`--out ${out}`]),
  ].join(' ');

/**
 * The figures measured before, if they are of this model, asset and seed; of another model only the parts without a model.
 */
function figuresOf<P extends object>(
  file: string,
  wanted: Omit<Figures<P>, 'parts'>,
  { modelFree }: Chapter<P>,
): Figures<P> {
  const none: Figures<P> = { ...wanted, parts: {} };
  if (!existsSync(file)) return none;
  const figures: Figures<P> = JSON.parse(readFileSync(file, 'utf8'));
  if (figures.seed !== wanted.seed) return none;
  if (figures.model === wanted.model && figures.asset === wanted.asset) return figures;
  for (const part of modelFree) {
    if (!figures.parts[part]) continue;
    none.parts[part] = figures.parts[part];
    none.minutes = { ...none.minutes, [part]: figures.minutes?.[part] };
  }
  return none;
}

/** Five significant decimals: far finer than any interval. */
const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e5) / 1e5 : value);

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}
