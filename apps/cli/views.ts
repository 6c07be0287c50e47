/** Shared parts of the commands that work on views' files: which views, in which directory. */
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { PROJECTIONS } from '#catalogue/projections';
import { UsageError } from './exit.js';
import { dataDirectory, type LogOptions } from './logs.js';

export const NAMES = PROJECTIONS.map(({ name }) => name);
export const VIEWS_OPTION = ['--views <dir>', 'directory of the views (default: views in the data directory)'] as const;
export const VIEW_OPTION = ['--view <name...>', `only these of ${NAMES.join(', ')}`, named] as const;

export const directoryOf = (options: Pick<LogOptions, 'data'> & { views?: string }): string =>
  options.views ?? join(dataDirectory(options), 'views');

export const chosen = (names?: string[]) => PROJECTIONS.filter(({ name }) => !names || names.includes(name));

function named(name: string, before: string[] = []): string[] {
  if (!NAMES.includes(name)) throw new InvalidArgumentError(`There are ${NAMES.join(', ')}.`);
  return [...before, name];
}

export const noView = (name: string, directory: string): UsageError =>
  new UsageError(`there is no view ${name} of this version in ${directory}: mvs views rebuild makes it`);
