/** Plain words in guides, README and the help of commands: each form below has been replaced once, and stays away. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../client/packed.js';
import { guides, pages, reports } from './guides.js';

const COUNTED =
  'ms|s|bytes|kB|KiB|MB|MiB|numbers|stones|claims|scans|spectra|points|pairs|vectors|events|commands|appends|jobs|lines?';
const EACH = 'claim|side|scan|encoder|stone|population|worker|set|lot|pair|event';

const FORMS: { instead: string; form: RegExp }[] = [
  { instead: 'write 0.98', form: /(?<![\w.)\]\d])\.\d+/g },
  { instead: 'write "per claim"', form: new RegExp(`\\b(${COUNTED}) an? (${EACH})\\b`, 'g') },
  { instead: 'write "compared with"', form: /\bheld against\b/gi },
  { instead: 'write "again", or the verb with re-', form: /\banew\b/gi },
  { instead: 'say the property', form: /\bby what it is\b/gi },
  { instead: 'write "its own"', form: /\b(a hand|hands) of (its|their) own\b/gi },
  { instead: 'cite OpenAPI or `GET /api/v1`', form: /\bspecification\b/gi },
  { instead: 'begin with the subject', form: /(?:^|[.:;!] |^- |^\d+\. |\| )What (?![^.|]*\?)[^.|]*/gm },
];

/** Comments are fragments more often than sentences. */
const IN_COMMENTS = FORMS.slice(2, 5);

const withoutCode = (text: string) =>
  text
    .replace(/^ *```.*?^ *```/gms, (block) => block.replace(/[^\n]/g, ''))
    .replace(/^ {4}.*$/gm, '')
    .replace(/`[^`\n]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/^#.*$/gm, '');

const found = (text: string, forms = FORMS) =>
  forms.flatMap(({ instead, form }) =>
    [...text.matchAll(form)].map(
      ({ 0: words, index }) => `${text.slice(0, index).split('\n').length}: "${words.slice(0, 40)}": ${instead}`,
    ),
  );

describe('plain words', () => {
  it.each(pages)('in %s', (page) => {
    expect(found(withoutCode(readFileSync(join(root, page), 'utf8')))).toEqual([]);
  });

  it.each(reports)('and whole decimals in %s', (page) => {
    expect(found(withoutCode(readFileSync(join(root, page), 'utf8')), FORMS.slice(0, 1))).toEqual([]);
  });

  it('in the help of commands, which the page of commands shows as code', () => {
    const help = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8');
    expect(found(help, FORMS.slice(1, -1))).toEqual([]);
  });

  it.each(['apps', 'bench', 'config', 'lab', 'libs', 'packages/client/src', 'tools'])(
    'in the comments of %s',
    (folder) => {
      const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
        /(?<![.]d)[.]tsx?$/.test(name),
      );
      const comments = files.map((name) => {
        const lines = readFileSync(join(root, folder, name), 'utf8').split('\n');
        return { name, text: lines.map((line) => (/^\s*(\/\/|\/\*\*|\*)/.test(line) ? line : '')).join('\n') };
      });
      expect(comments.length).toBeGreaterThan(3);
      expect(comments.flatMap(({ name, text }) => found(text, IN_COMMENTS).map((one) => `${name}:${one}`))).toEqual([]);
    },
  );

  it('are asked for in each of the forms', () => {
    const text =
      'at .98, 3 ms a claim, held against it, anew, by what it is, a hand of its own, by specification. What stays is this.';
    expect(found(text)).toHaveLength(FORMS.length);
  });
});

const LONGEST = 1200;
// What a contributor needs for one change is one section of that page.
it.each(guides.filter((page) => page !== 'docs/contributing.md'))(`${LONGEST} words at most: %s`, (page) => {
  expect(readFileSync(join(root, page), 'utf8').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(LONGEST);
});
