/** Samples and examples of the contract: complete, compiled, and in the form that the contract says. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES } from '../apps/server/contract/examples.js';
import { SAMPLES } from '../apps/server/contract/samples.js';
import { contract, expectContract } from '../apps/server/test/contract.js';
import { operationsOf } from '../tools/client-contract.js';
import { root } from './client/packed.js';

const operations = operationsOf(contract);
const folder = join(root, 'var', `samples-${process.pid}`);
const withPython = spawnSync('python3', ['--version']).status === 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('stand for every operation of the contract, in three languages', () => {
  const names = operations.map(({ operationId }) => operationId).sort();
  expect(Object.keys(SAMPLES).sort()).toEqual(names);
  expect(Object.keys(EXAMPLES).sort()).toEqual(names);
  for (const operation of operations) {
    const samples = (operation as unknown as { 'x-codeSamples': { label: string; source: string }[] })['x-codeSamples'];
    expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
  }
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
    ([name, [text]]) => `export async function ${name}() {\n  ${text};\n}\n`,
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

(withPython ? it : it.skip)('call the same operations in Python (needs python3)', () => {
  const program = `
import json, sys, tempfile, pathlib
import match_verification._client
from match_verification import Client
from match_verification._http import Response
sent = []
def transport(request):
    sent.append([request.method, request.url.split("?")[0].removeprefix("http://service")])
    return Response(200, {"content-type": "application/json"}, b'{"items": [], "next_cursor": null, "counts": {}}')
scan = pathlib.Path(tempfile.mkdtemp()) / "A1_1.csv"
scan.write_text("1,1")
names = dict.fromkeys("claim_id finding_id key_prefix proposal_digest model position token_prefix lot_id check_id".split(), "x")
names |= {"rough": [scan], "polish": [scan], "files": [scan]}
client = Client("http://service", "k", operator_key="k", workspace_token="k", transport=transport)
def lines(request):
    transport(request)
    raise StopAsyncIteration
match_verification._client.open_lines = lines
result = {}
for name, code in json.load(sys.stdin).items():
    sent.clear()
    try:
        exec(code, {"client": client, "print": lambda *_: None, **names})
    except StopAsyncIteration:
        pass
    result[name] = sent[0]
print(json.dumps(result))
`;
  const input = JSON.stringify(Object.fromEntries(Object.entries(SAMPLES).map(([name, [, python]]) => [name, python])));
  const env = { ...process.env, PYTHONPATH: join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
  const called = JSON.parse(execFileSync('python3', ['-c', program], { input, env, encoding: 'utf8' }));
  const values: Record<string, string> = {
    population: 'antwerp',
    reject_target: '0.98',
    stream: 'calibration-antwerp',
  };
  const expected = operations.map(({ operationId, method, path }) => [
    operationId,
    [method.toUpperCase(), path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? 'x')],
  ]);
  expect(called).toEqual(Object.fromEntries(expected));
});
