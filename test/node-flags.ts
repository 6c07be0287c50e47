/** Flags of Node with which package.json starts the api and the workers; the image and the benches use the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './client/packed.js';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** The command of a script of package.json, word by word. */
export const commandOf = (script: string): string[] => scripts[script].replace(/^exec /, '').split(' ');

export const NODE_FLAGS = commandOf('serve').filter((word) => word.startsWith('--'));
