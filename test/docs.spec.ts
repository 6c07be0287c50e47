import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { limits, readConfiguration, SANDBOX_VARIABLES, VARIABLES, VENDOR_VARIABLES, VIEWS_VARIABLES } from '#config';
import { shippedLotModel } from '#lots';
import { modelIn, shippedModelFolders } from '#matching';
import { refusalPhrases, stoneRefusalPhrases } from '#spectra';
import { ERRORS, PROBLEMS, RETRY_ADVICE } from '../apps/server/http/problem.js';
import { type Service, startService } from '../apps/server/service.js';
import { root } from './client/packed.js';

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

describe('generated pages (UPDATE_DOCS=1 npm test -- docs writes them)', () => {
  const whens: Record<string, readonly [number, string, string]> = PROBLEMS;
  const of = (code: string) => {
    if (code in stoneRefusalPhrases) return 'scans of a lot or of its return';
    return code in refusalPhrases ? 'scans or fields of a claim' : 'a claim or lot was not scored';
  };
  const errors = `# Errors

Every refusal carries \`X-Request-Id\` and is

\`\`\`json
{"detail": "rough: no parseable spectra: ...", "code": "unparseable", "side": "rough", "file": "S1_1.csv", "request_id": "..."}
\`\`\`

\`detail\` is for people; it begins or, for scans, contains the text below. \`code\` is for programs and keeps its meaning;
new ones may be added. \`side\` and \`file\` are there where one side of a claim or one file is to blame. \`request_id\` is
\`X-Request-Id\`, and what an operator needs to find the call.

${RETRY_ADVICE}

This page is generated from the table of codes in the code.

${table(
  ['status', 'code', 'text', 'when'],
  Object.entries(ERRORS)
    .sort(([, [a]], [, [b]]) => a - b)
    .map(([code, [status, text]]) => [String(status), `\`${code}\``, text, whens[code]?.[2] ?? of(code)]),
)}
`;

  const variables = (rows: { name: string; fallback: string; text: string }[]) =>
    table(
      ['variable', 'default', 'what'],
      rows.map(({ name, fallback, text }) => [
        `\`${name}\``,
        name === 'MVS_THREADS' ? 'one a core' : fallback === '' ? 'unset' : `\`${fallback}\``,
        text,
      ]),
    );

  const bytes = (count: number) => `${count.toLocaleString('en-US')} bytes`;

  const configuration = `# Configuration

By environment, read once at start; what makes no sense or is unsafe does not start and says why. Any variable may be
given as a file: \`NAME_FILE\` holds its path. A name that begins with \`MVS_\` and that no program of the project reads stops the
start, with the nearest known name; \`mvs\` warns and goes on. All programs may share one environment. This page is generated
from the code.

${variables(Object.values(VARIABLES))}

## The vendor's lookups

Read by \`mvs vendor\` alone; the service never calls the vendor.

${variables(Object.values(VENDOR_VARIABLES))}

Its stand-in, \`npm run vendor-sandbox\`:

${variables(Object.values(SANDBOX_VARIABLES))}

## A running service's operator

Read by \`mvs views skip\`.

${variables(Object.values(VIEWS_VARIABLES))}

## Bodies

What a body may hold at most; [the errors](errors.md) say what is answered beyond.

${table(
  ['body', 'at most'],
  [
    ['a claim', `\`${VARIABLES.maxBodyBytes.name}\` (${bytes(limits.claimBytes)} by default)`],
    [
      '`POST /api/v1/expected`',
      `${limits.labels.toLocaleString('en-US')} labels; ${bytes(limits.labelBytes)}, and no more than \`${VARIABLES.maxBodyBytes.name}\``,
    ],
    ['any other', `${bytes(limits.otherBytes)}, and no more than \`${VARIABLES.maxBodyBytes.name}\``],
    ['a form’s field that is no file', `${bytes(limits.fieldBytes)}; ${limits.fields} fields`],
    ['a side by JSON', `${limits.jsonSpectra} spectra`],
    ['the nesting of any JSON', `${limits.jsonDepth} levels`],
  ],
)}
`;

  it.each([
    ['errors.md', errors],
    ['configuration.md', configuration],
  ])('docs/%s is what the code says', (name, text) => {
    const file = join(root, 'docs', name);
    if (process.env.UPDATE_DOCS) writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('the layers (layers.json)', () => {
  const { layers, sideways } = JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8')) as {
    layers: Record<string, string>[];
    sideways: { from: string; to: string; why: string }[];
  };

  it('are the table of docs/architecture.md', () => {
    const rows = layers.flatMap((modules, i) =>
      Object.entries(modules).map(([module, what]) => [String(i + 1), `\`${module}\``, what]),
    );
    const exceptions = sideways.map(({ from, to, why }) => `- \`${from}\` imports \`${to}\` on its own layer: ${why}.`);
    const text = `${table(['layer', 'module', 'what'], rows)}\n\n${exceptions.join('\n')}`;
    const file = join(root, 'docs', 'architecture.md');
    const page = readFileSync(file, 'utf8');
    const generated = page.replace(
      /<!-- layers -->[\s\S]*<!-- \/layers -->/,
      `<!-- layers -->\n\n${text}\n\n<!-- /layers -->`,
    );
    if (process.env.UPDATE_DOCS) writeFileSync(file, generated);
    expect(readFileSync(file, 'utf8')).toBe(generated);
  });

  it('hold every folder with code', () => {
    const listed = layers.flatMap((modules) => Object.keys(modules));
    const folders = ['libs', 'apps'].flatMap((top) => readdirSync(join(root, top)).map((name) => `${top}/${name}`));
    const tops = readdirSync(join(root, 'dist')).filter(
      (name) => !['libs', 'apps'].includes(name) && !name.includes('.'),
    );
    // A folder that a move left empty is none.
    const withCode = (module: string) =>
      readdirSync(join(root, module), { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());
    expect([...folders, ...tops].filter((module) => !listed.includes(module) && withCode(module))).toEqual([]);
  });
});

it('every link of a page leads to a file', () => {
  const pages = ['.', 'docs', 'clients', 'packages'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: top !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(top, name)),
  );
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
      .map(([, to]) => to)
      .filter((to) => !existsSync(join(root, dirname(page), to)))
      .map((to) => `${page}: ${to}`),
  );
  expect(pages.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

it('every page names the live model, or says that its figures are of another one', () => {
  const short = ({ digest }: { digest: string }) => digest.slice(0, 16);
  const [live, ...former] = shippedModelFolders().map((folder) => short(modelIn(folder)));
  const lots = short(shippedLotModel());
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
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
    expect.arrayContaining(['docs/results.md', 'docs/accuracy.md', 'docs/training.md']),
  );
  const wrong = models.filter(
    ({ digest, part }) =>
      digest !== live &&
      digest !== lots &&
      !(former.includes(digest) && /former|first|then|before/.test(part)) &&
      !part.includes('not shipped yet'),
  );
  expect(wrong.map(({ page, digest }) => `${page}: ${digest}`)).toEqual([]);
});

describe('the tour', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-tour-'));
  let service: Service;

  beforeAll(async () => {
    service = await startService({
      configuration: readConfiguration({ PORT: '0', MVS_DATA_DIR: directory, MVS_THREADS: '1' }),
      logger: pino({ level: 'silent' }),
      version: 'tour',
      engine: 'simd',
    });
  });
  afterAll(async () => {
    await service.close();
    rmSync(directory, { recursive: true });
  });

  /** Each block of commands with what the page says it prints. */
  const page = readFileSync(join(root, 'docs', 'tour.md'), 'utf8');
  const blocks = [...page.matchAll(/^```bash\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)];
  const script = () =>
    ['set -e', ...blocks.map(([, commands], i) => `echo "== ${i}"\n${commands}`)]
      .join('\n')
      .replaceAll('http://127.0.0.1:3000', service.address)
      .replaceAll('var/', `${directory}/`)
      .replaceAll('npx mvs', `node ${join(root, 'dist/apps/cli/main.js')}`);
  /** So long only that a tour that hangs ends: on a busy machine one takes minutes. */
  const MAX_MS = 600_000;
  const run = (shell: string) =>
    new Promise<string>((resolve, reject) =>
      execFile(shell, ['-c', script()], { cwd: root, timeout: MAX_MS }, (error, stdout, stderr) =>
        error ? reject(new Error(`${stdout}\n${stderr}`)) : resolve(stdout),
      ),
    );
  const pattern = (expected: string) =>
    new RegExp(
      `^${expected
        .replace(/[\\^$*+?()[\]{}|]/g, '\\$&')
        .replaceAll('...', '\u0000')
        .replaceAll('.', '[.]')
        .replaceAll('\u0000', '[^]*')}`,
    );

  for (const shell of ['dash', 'bash', 'zsh']) {
    const here = spawnSync(shell, ['-c', 'true']).status === 0;
    (here || process.env.MVS_REQUIRE_SERVICES ? it : it.skip)(
      `does in ${shell} what docs/tour.md says, twice`,
      async () => {
        expect(blocks.length).toBeGreaterThanOrEqual(9);
        for (let time = 0; time < 2; time++) {
          const parts = (await run(shell)).split(/^== \d+\n/m).slice(1);
          expect(parts.length).toBe(blocks.length);
          for (const [i, [, , expected]] of blocks.entries()) if (expected) expect(parts[i]).toMatch(pattern(expected));
        }
      },
      2 * MAX_MS,
    );
  }
});
