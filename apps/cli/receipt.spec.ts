import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimOf, filesOf, formOf, TestService } from '../server/test/fixture.js';
import { mvs } from './test/mvs.js';

const home = mkdtempSync(join(tmpdir(), 'mvs-receipt-'));
const [answer, service] = ['answer.json', 'service.json'].map((name) => join(home, name));
let running: TestService;
let receipt: string;
/** Files of two stones by side: those of the claim, and others. */
const files: Record<string, string[]> = {};

beforeAll(async () => {
  running = await TestService.start();
  for (const [name, side] of [
    ['rough', claimOf(1).rough],
    ['polish', claimOf(1).polish],
    ['other', claimOf(2).rough],
  ] as const)
    files[name] = filesOf(side).map((file, i) => {
      const path = join(home, `${name}_${i}.csv`);
      writeFileSync(path, file.text);
      return path;
    });
  const { body } = await running.verify(formOf(claimOf(1)));
  receipt = body.receipt;
  writeFileSync(answer, JSON.stringify(body));
  writeFileSync(service, JSON.stringify((await running.call('GET', '/api/v1')).body));
});
afterAll(async () => {
  await running.stop();
  rmSync(home, { recursive: true });
});

const verified = (...args: string[]) => mvs(['receipt', 'verify', ...args]);

it('verifies the receipt of an answer, and computes the digests of files again', async () => {
  const { code, out } = await verified(
    answer,
    '--keys',
    service,
    '--rough',
    ...files.rough,
    '--polish',
    ...files.polish,
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/^the receipt holds: (NO_)?MATCH/)]);
  expect(out.match(/the same scans as the files/g)).toHaveLength(2);
  const alone = await mvs(['receipt', 'verify', '-', '--url', running.address, '--json'], { input: `${receipt}\n` });
  expect(JSON.parse(alone.out)).toMatchObject({ verdict: expect.any(String), rough: { digest: expect.any(String) } });
});

it('exits with 1 where the files are other scans, or the receipt was changed', async () => {
  const other = await verified(answer, '--keys', service, '--rough', ...files.other);
  expect([other.code, other.error]).toEqual([1, expect.stringContaining('the rough files are other scans')]);
  const changed = join(home, 'changed');
  writeFileSync(changed, receipt.replace(/^./, 'f'));
  expect(await verified(changed, '--keys', service)).toMatchObject({ code: 1, out: '' });
});

it('exits with 2 for what is no receipt or no key, with 3 without keys', async () => {
  writeFileSync(join(home, 'none.json'), '{}');
  expect((await verified(join(home, 'none.json'), '--keys', service)).code).toBe(2);
  expect((await verified(answer, '--keys', join(home, 'none.json'))).code).toBe(2);
  expect((await verified(answer)).code).toBe(3);
});
