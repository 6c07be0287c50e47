/** The pages that commands are held to. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../client/packed.js';

/** Their bytes are in bundles of audits, where a change changes the root digest. */
const IN_BUNDLES = ['docs/concepts/calibration-method.md', 'docs/concepts/scorer-method.md'];

const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('docs', name))
  .filter((page) => page.endsWith('.md') && !IN_BUNDLES.includes(page));

/** Pages that are read from the first word to the last; those of reference and decisions are looked up. */
export const guides = ['README.md', ...pages].filter((page) => !/^docs\/(decisions|reference)\//.test(page));
