/** Examples of the contract, and the calls that they are made by: complete, compiled, and in the form that the contract says. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES } from '../apps/server/contract/examples.js';
import { contract, expectContract } from '../apps/server/test/contract.js';
import { operationsOf } from '../tools/client-contract.js';
import { SAMPLES } from '../tools/samples.js';
import { root } from './client/packed.js';

const operations = operationsOf(contract);
const folder = join(root, 'var', `samples-${process.pid}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('stand for every operation of the contract', () => {
  const names = operations.map(({ operationId }) => operationId).sort();
  expect(Object.keys(SAMPLES).sort()).toEqual(names);
  expect(Object.keys(EXAMPLES).sort()).toEqual(names);
});

it('hold no secret', () => {
  expect(JSON.stringify(EXAMPLES)).not.toMatch(/mvs_(live|test|lots)_[0-9a-f]{17,}|anna-key/);
});

const answered = operations.filter(({ operationId }) => typeof EXAMPLES[operationId].answer === 'object');
it.each(answered.map(({ operationId, path, method }) => [operationId, path, method] as const))(
  '%s: the example is as the contract says',
  (operationId, path, method) => {
    const { status, answer } = EXAMPLES[operationId];
    expectContract(path, method, { status, body: answer });
  },
);

it('compile', () => {
  mkdirSync(folder, { recursive: true });
  const typescript = Object.entries(SAMPLES).map(
    ([name, text]) => `export async function ${name}() {\n  ${text};\n}\n`,
  );
  const head = `import type { MatchVerification, ScanFile } from '${join(root, 'packages/client/dist/index.js')}';
declare const client: MatchVerification;
declare const [rough, polish, files]: ScanFile[][];
declare const [claimId, findingId, keyPrefix, proposalDigest, model, position, tokenPrefix, lotId, checkId]: string[];
`;
  writeFileSync(join(folder, 'samples.ts'), head + typescript.join(''));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--lib',
    'es2023,dom',
    '--types',
    'node',
  ];
  const modules = ['--module', 'nodenext', '--target', 'es2023'];
  const args = [compiler, ...options, ...modules, join(folder, 'samples.ts')];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});
