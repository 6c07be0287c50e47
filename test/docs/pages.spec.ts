/** Checks the pages' words about files and models. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lotModelIn, shippedLotModel } from '#science/lots/shipped';
import { modelFolderNamed, modelIn, shippedModelFolders } from '#science/matching/shipped';
import { root } from '../client/packed.js';

const pagesIn = (...tops: string[]) =>
  tops.flatMap((top) =>
    readdirSync(join(root, top), { recursive: top !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(top, name)),
  );
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const linksOf = (page: string) =>
  [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, to, anchor]) => ({
    to: to ? join(dirname(page), to) : page,
    anchor,
  }));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const prose = textOf(page).replace(/^```.*?^```/gms, '');
  return new Set(
    [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
      const anchor = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-');
      const times = seen.get(anchor) ?? 0;
      seen.set(anchor, times + 1);
      return times === 0 ? anchor : `${anchor}-${times}`;
    }),
  );
}

const everyPage = pagesIn('.', '.github', 'clients', 'docs', 'packages', 'reports', 'scripts');

it('every link of a page leads to a file, and its anchor to a heading', () => {
  const broken = everyPage.flatMap((page) =>
    linksOf(page)
      .filter(
        ({ to, anchor }) => !existsSync(join(root, to)) || (anchor && to.endsWith('.md') && !anchorsOf(to).has(anchor)),
      )
      .map(({ to, anchor }) => `${page}: ${to}${anchor ? `#${anchor}` : ''}`),
  );
  expect(everyPage.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

it('every file or folder of the repository that a page names is there', () => {
  const tops = 'apps|bench|clients|config|deploy|docs|lab|libs|models|packages|reports|scripts|test|tools';
  const named = new RegExp(`\`((?:${tops})/[\\w./@-]+)\``, 'g');
  // Contributors are told to write these.
  const example = /\/(jcamp|notes?)\b/;
  const gone = everyPage.flatMap((page) =>
    [...textOf(page).matchAll(named)]
      .filter(([, path]) => !example.test(path) && !existsSync(join(root, path)))
      .map(([, path]) => `${page}: ${path}`),
  );
  expect(gone).toEqual([]);
});

it('the page of the architecture names every room', () => {
  const { layers } = JSON.parse(textOf('layers.json')) as { layers: Record<string, string>[] };
  const rooms = layers.flatMap((layer) => Object.keys(layer)).map((path) => path.slice(path.lastIndexOf('/') + 1));
  const words = textOf('docs/concepts/architecture.md').split(/[^a-z-]+/);
  expect(rooms.filter((room) => !words.includes(room))).toEqual([]);
});

it('the index names every page but decisions', () => {
  const index = 'docs/README.md';
  const named = new Set(linksOf(index).map(({ to }) => to));
  const others = pagesIn('docs', 'reports').filter((page) => page !== index && !page.startsWith('docs/decisions/'));
  expect(others.filter((page) => !named.has(page))).toEqual([]);
});

/** It is a summary itself. */
const SUMMARY = 'reports/results.md';
it.each(pagesIn('reports').filter((page) => page !== SUMMARY))('%s begins with a summary', (page) => {
  const [, ...sections] = textOf(page).split(/^## /m);
  const [first = ''] = sections;
  expect(first).toMatch(/^In short\n/);
  const lines = first.match(/^- /gm)?.length ?? 0;
  expect(lines === 0 ? first.match(/^\|/gm)!.length : lines).toBeGreaterThan(4);
  expect(lines).toBeLessThanOrEqual(10);
});

it('every page names the live model, or says that its figures are of another one', () => {
  const short = ({ digest }: { digest: string }) => digest.slice(0, 16);
  const [live, ...former] = shippedModelFolders().map((folder) => short(modelIn(folder)));
  const lots = short(shippedLotModel());
  former.push(short(lotModelIn(modelFolderNamed('lots-1'))));
  const pages = [
    'README.md',
    ...['docs', 'reports'].flatMap((top) =>
      readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((name) => join(top, name)),
    ),
  ];
  const named = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) => {
      // A paragraph, a row of a table, or an item of a list says whose figures it gives.
      const parts = readFileSync(join(root, page), 'utf8').split(/\n\n|\n(?=[|-] )/);
      return parts.flatMap((part) =>
        [...part.matchAll(/`([0-9a-f]{16})`/g)].map(([, digest]) => ({ page, digest, part })),
      );
    });
  const models = named.filter(
    ({ part, digest }) => /[Mm]odel/.test(part) && !part.includes(`digest of its scans \`${digest}`),
  );
  expect(models.filter(({ digest }) => digest === live).map(({ page }) => page)).toEqual(
    expect.arrayContaining(['reports/results.md', 'reports/accuracy.md', 'reports/training.md']),
  );
  const wrong = models.filter(
    ({ digest, part }) =>
      digest !== live &&
      digest !== lots &&
      !(former.includes(digest) && /former|first|then|before|match-\d/.test(part)),
  );
  expect(wrong.map(({ page, digest }) => `${page}: ${digest}`)).toEqual([]);
});
