/** The commands of the integrator's guide, as they stand there, against a service. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimOf, filesOf, TestService } from '../../apps/server/test/fixture.js';

const GUIDE = readFileSync('docs/integrate/integrating.md', 'utf8');
const SCANS = { rough: ['AB1001_rough_1.0', 'AB1001_rough_2.0', 'AB1001_rough_3.0'], polish: ['AB1001.1_polish.0'] };
const curlIsHere = spawnSync('curl', ['--version']).status === 0 || process.env.MVS_REQUIRE_SERVICES === '1';

const folder = mkdtempSync(join(tmpdir(), 'mvs-guide-'));
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  const claim = claimOf(1);
  for (const side of ['rough', 'polish'] as const)
    for (const [i, name] of SCANS[side].entries()) writeFileSync(join(folder, name), filesOf(claim[side])[i].text);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Runs the first command under a heading; resolves with its answer. */
async function run(
  heading: string,
): Promise<{ verdict: string; claim_id: string; warnings: string[]; receipt?: string }> {
  const [, command] = new RegExp(`^## ${heading}$[^]*?\`\`\`bash\\n(curl [^]*?)\`\`\``, 'm').exec(GUIDE)!;
  const secrets = { KEY: service.apiKey, REPLAY_TOKEN: service.service.secrets!.replayToken };
  const env = { PATH: process.env.PATH, URL: service.address, ...secrets };
  const child = spawn('sh', ['-c', command], { cwd: folder, env });
  let printed = '';
  for await (const text of child.stdout) printed += text;
  return JSON.parse(printed);
}
const claims = async () => (await service.call('GET', '/api/v1/claims', { headers: service.operator })).body.items;

(curlIsHere ? it : it.skip)('send a claim, and replay it without leaving one', async () => {
  const first = await run('The first claim');
  expect(await claims()).toMatchObject([{ claim_id: first.claim_id }]);
  const replayed = await run('Replaying a claim');
  // A replay has no receipt.
  const { receipt, ...verdict } = first;
  expect(replayed).toEqual({ ...verdict, claim_id: replayed.claim_id });
  expect(receipt).toMatch(/^eyJ/);
  expect(replayed.claim_id).not.toBe(first.claim_id);
  expect(replayed.warnings.join()).not.toMatch(/replay/i);
  expect(await claims()).toHaveLength(1);
});
