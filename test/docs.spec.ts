import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { readConfiguration, VARIABLES, VENDOR_VARIABLES } from '#config';
import { refusalPhrases } from '#spectra';
import { REFUSAL_STATUS } from '../apps/server/http/answers.js';
import { PROBLEMS } from '../apps/server/http/problem.js';
import { type Service, startService } from '../apps/server/service.js';

let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(root, 'package.json'))) root = dirname(root);

describe('generated pages (UPDATE_DOCS=1 npm test -- docs writes them)', () => {
  const table = (head: string[], rows: string[][]) =>
    [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

  const errors = `# Errors

Every refusal is \`{"detail": "..."}\` and carries \`X-Request-Id\`. 400 and 422 are deterministic: the same request fails
again. Retry only 5xx, 429 and network failures, with backoff; \`Retry-After\` says when. This page is generated from the
code.

## Of the input

The phrase stands in the detail literally, after the side or the file that is to blame and before the reason and the fix.

${table(
  ['status', 'phrase', 'kind'],
  Object.entries(refusalPhrases).map(([kind, phrase]) => [
    String(REFUSAL_STATUS[kind as keyof typeof refusalPhrases]),
    phrase,
    `\`${kind}\``,
  ]),
)}

## Of the request

${table(
  ['status', 'detail (begins)', 'when', 'code'],
  Object.entries(PROBLEMS).map(([code, [status, text, when]]) => [String(status), text, when, `\`${code}\``]),
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

  const configuration = `# Configuration

By environment, read once at start; what makes no sense or is unsafe does not start and says why. Any variable may be
given as a file: \`NAME_FILE\` holds its path. This page is generated from the code.

${variables(Object.values(VARIABLES))}

## The vendor's lookups

Read by \`mvs vendor\` alone; the service never calls the vendor.

${variables(Object.values(VENDOR_VARIABLES))}
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

  it('does what docs/tour.md says, command by command', async () => {
    const page = readFileSync(join(root, 'docs', 'tour.md'), 'utf8');
    const blocks = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block]) => block);
    expect(blocks.length).toBeGreaterThanOrEqual(7);
    const script = ['set -eo pipefail', ...blocks.map((block, i) => `echo; echo "== ${i}"\n${block}`)]
      .join('\n')
      .replaceAll('http://127.0.0.1:3000', service.address)
      .replaceAll('var/', `${directory}/`)
      .replaceAll('npx mvs', `node ${join(root, 'dist/apps/cli/main.js')}`);
    const output = await new Promise<string>((resolve, reject) =>
      execFile('bash', ['-c', script], { cwd: root, timeout: 60_000 }, (error, stdout, stderr) =>
        error ? reject(new Error(`${stdout}\n${stderr}`)) : resolve(stdout),
      ),
    );
    const parts = output.split(/^== \d+$/m).slice(1);
    expect(parts[0]).toContain('"status":"ok"');
    expect(parts[2]).toContain("verdict: 'MATCH'");
    expect(parts[3]).toContain('MATCH');
    expect(parts[4]).toContain('"verdict":"NO_MATCH"');
    expect(parts[5]).toContain('"status":"accepted"');
    expect(parts[6]).toContain('"label"');
    expect(parts[7]).toContain('valid X-Api-Key header required');
  }, 90_000);
});
