/** Plain words in guides, README and the help of commands: each form below has been replaced once, and stays away. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../client/packed.js';
import { guides, others, pages, reports } from './guides.js';

const COUNTED =
  'ms|s|bytes|kB|KiB|MB|MiB|numbers|stones|claims|scans|spectra|points|pairs|vectors|events|commands|calls|labels|alarms|windows|once|appends|jobs|rows?|lines?|objects?';
const EACH =
  'claim|side|scan|encoder|stone|population|worker|set|lot|pair|event|file|stream|row|line|call|measure|episode|process|machine|breach|finding';

const FORMS: { instead: string; form: RegExp }[] = [
  { instead: 'write 0.98', form: /(?<![\w.)\]\d])\.\d*[1-9]\d*/g },
  { instead: 'write "per claim"', form: new RegExp(`\\b(${COUNTED}) an? (${EACH})\\b`, 'g') },
  { instead: 'write "compared with"', form: /\bheld against\b/gi },
  { instead: 'write "again", or the verb with re-', form: /\banew\b/gi },
  { instead: 'say the property', form: /\bby what it is\b/gi },
  { instead: 'write "its own"', form: /\b(a hand|hands) of (its|their) own\b/gi },
  { instead: 'cite OpenAPI or `GET /api/v1`', form: /\bspecification\b/gi },
  {
    instead: 'begin with the subject',
    form: /(?:^|[.:;!] |^- |^\d+\. |\| )(?:What|Who|Whose|Whoever|Whatever|Whether) (?![^.|]*\?)[^.|]*/gm,
  },
];

/** Comments are fragments more often than sentences, and none begins with a clause in place of its subject. */
const IN_COMMENTS = [
  ...FORMS.slice(0, 2),
  {
    instead: 'begin with the subject',
    form: /^[ \t]*(?:\/\/|\/\*\*?|\*|#|""")\s*(?:What|Who|Whose|Whom|Whoever|Whatever|Whether)\b.*/gm,
  },
];
/** In error texts and in the contract's too, where only these can be told from code. */
const EVERYWHERE = FORMS.slice(2, 7);
const isComment = (line: string) => /^\s*(\/\/|\/\*|\*|#|""")/.test(line);
const commentsOf = (source: string) =>
  source
    .split('\n')
    .map((line) => (isComment(line) ? line : ''))
    .join('\n');

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

function foundInCode(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const everywhere = /words[.]spec|^test.golden/.test(file) ? [] : found(source, EVERYWHERE);
  return [...found(commentsOf(source), IN_COMMENTS), ...everywhere].map((one) => `${file}:${one}`);
}

describe('plain words', () => {
  it.each([...pages, ...others])('in %s', (page) => {
    expect(found(withoutCode(readFileSync(join(root, page), 'utf8')))).toEqual([]);
  });

  it.each(reports)('and whole decimals in %s', (page) => {
    expect(found(withoutCode(readFileSync(join(root, page), 'utf8')), FORMS.slice(0, 1))).toEqual([]);
  });

  it('in the help of commands, which the page of commands shows as code', () => {
    const help = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8');
    expect(found(help, FORMS.slice(1, -1))).toEqual([]);
  });

  it.each([
    ...['apps', 'bench', 'clients/python', 'config', 'deploy', 'docs/audit', 'lab', 'libs', 'packages/client/src'],
    ...['scripts', 'test', 'tools', '.github', '.devcontainer'],
  ])('in the comments, and some in all texts, of %s', (folder) => {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?<![.]d)[.](tsx?|mjs|py|css|html|ya?ml|json)$/.test(name),
    );
    expect(files.length).toBeGreaterThan(0);
    const faults = files.flatMap((name) => foundInCode(join(folder, name)));
    expect(faults).toEqual([]);
  });

  it.each(['Dockerfile', 'docker-compose.yml', 'docker-compose.tls.yml', '.ci/run'])('in %s', (file) => {
    expect(foundInCode(file)).toEqual([]);
  });

  it.each(['// What it is.', ' * Who asks.', '/** Whether it is. */', '  # Whatever', '"""What it does.'])(
    'are asked for in the comment %j',
    (comment) => {
      expect(found(commentsOf(`${comment}\nconst what = 1;`), IN_COMMENTS)).toHaveLength(1);
    },
  );

  it('are asked for in each of the forms', () => {
    const text =
      'at .98, 3 ms a claim, held against it, anew, by what it is, a hand of its own, by specification. What stays is this.';
    expect(found(text)).toHaveLength(FORMS.length);
  });
});

const LONGEST = 1200;
// A contributor needs one section of that page for one change.
it.each(guides.filter((page) => page !== 'docs/contributing.md'))(`${LONGEST} words at most: %s`, (page) => {
  expect(readFileSync(join(root, page), 'utf8').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(LONGEST);
});
