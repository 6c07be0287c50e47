import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder } from '#config/folder';
import { UsageError } from '../../apps/cli/exit.js';
import { wholeFrom, wholeNumber } from '../../apps/cli/numbers.js';
import { print } from '../../apps/cli/print.js';
import { showProgress } from '../../apps/cli/progress.js';
import { decoyNamed, firstFamily, POPULATION_NAMES, simulateNamed } from '../populations.js';
import {
  ATTACK_FORMS,
  parseAttack,
  SCAN_FORMATS,
  type ScanFormat,
  type SimulatedStone,
  type SimulationOptions,
  stoneFiles,
} from '../simulator/index.js';

interface Options {
  population: string;
  seed: number;
  stones: number;
  first: number;
  rough: number;
  polish: number;
  format: ScanFormat;
  out: string;
  attack?: string;
  mixedUp?: 'anyone' | 'look-alike';
  decoys: number;
  lookAlikes: number;
  json?: true;
}

export function register(command: Command): void {
  command
    .addOption(new Option('--population <name>', 'who measured what').choices(POPULATION_NAMES).default('calibration'))
    .option('--seed <n>', 'another seed, other stones', wholeFrom(0), 1)
    .option('--stones <n>', 'how many', wholeNumber, 10)
    .option('--first <n>', 'number of the first stone; any one can be made alone', wholeFrom(0), 0)
    .option('--rough <n>', 'rough scans per stone', wholeNumber, 6)
    .option('--polish <n>', 'polish scans per stone', wholeNumber, 1)
    .addOption(new Option('--format <format>', 'file format').choices(SCAN_FORMATS).default('csv'))
    .requiredOption('--out <folder>', 'where to; created if needed')
    .option('--attack <attack>', `change of every scan: ${ATTACK_FORMS.join(', ')}; several joined by +`)
    .addOption(
      new Option('--mixed-up [whose]', "give every stone another stone's polish: anyone's, or a look-alike's")
        .choices(['anyone', 'look-alike'])
        .preset('anyone'),
    )
    .option('--decoys <n>', 'also write the rough of n random other stones, into decoys/<stone>/', wholeFrom(0), 0)
    .option('--look-alikes <n>', 'the same of stones from the same pocket, into look-alikes/<stone>/', wholeFrom(0), 0)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mvs simulate --out pairs --stones 100
  mvs simulate --out b --population client-b --format opus --seed 7
  mvs simulate --out smoothed --attack moving-average:7
  mvs simulate --out faked --attack savitzky-golay:11:2+noise:0.0003
  mvs simulate --out wrong --mixed-up look-alike --format json`,
    )
    .action(simulate);
}

async function simulate(options: Options): Promise<void> {
  const { out, format, population } = options;
  const attack =
    options.attack === undefined ? undefined : usage(() => parseAttack(`${options.attack}`, firstFamily(population)));
  const measured: SimulationOptions = {
    roughScans: options.rough,
    polishScans: options.polish,
    noise: attack?.noiseFree ? 0 : 1,
  };
  const treated = (stone: SimulatedStone) => attack?.apply(stone) ?? stone;
  const progress = showProgress('stones', options.stones);
  makeFolder(out);
  let files = 0;
  const write = async (folder: string, stone: SimulatedStone) => {
    makeFolder(folder);
    for (const { name, data } of stoneFiles(stone, format)) {
      await writeFile(join(folder, name), data);
      files++;
    }
  };
  try {
    for (let number = options.first; number < options.first + options.stones; number++) {
      const stone = treated(simulateNamed(population, options.seed, number, measured));
      const other = options.mixedUp && treated(otherStone(population, options, number, measured));
      await write(out, other ? { ...stone, polish: other.polish } : stone);
      const near = (kind: string) => join(out, kind, stone.id);
      for (let n = 1; n <= options.decoys; n++)
        await write(near('decoys'), roughOnly(treated(decoyNamed(population, options.seed, number, n, measured))));
      for (let lookAlike = 1; lookAlike <= options.lookAlikes; lookAlike++)
        await write(
          near('look-alikes'),
          roughOnly(treated(simulateNamed(population, options.seed, number, { ...measured, lookAlike }))),
        );
      progress.advance();
    }
  } finally {
    progress.stop();
  }
  const { stones, seed } = options;
  if (options.json) return print(JSON.stringify({ out, files, stones, population, seed }));
  print(
    `${files} simulated files of ${stones} ${population} ${stones === 1 ? 'stone' : 'stones'}, seed ${seed}: ${out}`,
  );
}

/** The stone whose polish another one gets when records are mixed up. */
function otherStone(population: string, { mixedUp, seed }: Options, stone: number, measured: SimulationOptions) {
  if (mixedUp === 'look-alike') return simulateNamed(population, seed, stone, { ...measured, lookAlike: 1 });
  return decoyNamed(population, seed, stone, 1, measured);
}

const roughOnly = (stone: SimulatedStone): SimulatedStone => ({ ...stone, polish: [] });

function usage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}
