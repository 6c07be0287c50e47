/** The pages that words and commands are held to. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../client/packed.js';

/** Their bytes are in bundles of audits, where a change changes the root digest. */
const IN_BUNDLES = ['docs/concepts/calibration-method.md', 'docs/concepts/scorer-method.md'];

const pagesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((page) => page.endsWith('.md') && !IN_BUNDLES.includes(page));

export const pages = ['README.md', ...pagesIn('docs')];
export const reports = pagesIn('reports');
/** Pages that stand beside their subject. */
export const others = [
  'CHANGELOG.md',
  'SECURITY.md',
  ...pagesIn('clients/python'),
  ...pagesIn('packages/client'),
  ...pagesIn('scripts'),
];

/** Pages that are read from the first word to the last; those of reference and decisions are looked up. */
export const guides = pages.filter((page) => !/^docs\/(decisions|reference)\//.test(page));
