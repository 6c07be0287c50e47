/** The program of `npm start` once everything is built. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.js';

it('shows three claims without an alarm about itself, outlives its reader, and ends when it is killed', async () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start).toMatch(/^exec /);
  const directory = mkdtempSync(join(tmpdir(), 'mvs-demo-'));
  const { PATH } = process.env;
  const child = spawn(process.execPath, ['dist/programs/lab/demo.js', '--with-population'], {
    env: { PATH, PORT: '0', MVS_DATA_DIR: directory, MVS_THREADS: '1' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        if (printed.includes('Ctrl-C ends the service')) resolve();
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => reject(new Error(text)));
      void ended.then(() => reject(new Error(printed)));
    });
    expect(printed).toMatch(
      /a genuine claim +200 +MATCH.*\n.*a mixed-up claim +200 +NO_MATCH.*\n.*a smoothed claim +400/,
    );
    expect(printed).toMatch(/^Console for operators: http:\S+\/console, which asks for the operator key$/m);
    expect(printed).not.toMatch(/"level":|ERROR|WARN/);
    const [, address] = /Serving on (http:\S+),/.exec(printed)!;
    const key = /^MVS_OPERATOR_KEY=(.+)$/m.exec(readFileSync(join(directory, 'operator.env'), 'utf8'))![1];
    child.stdout.destroy();
    const answer = await fetch(`${address}/api/v1/hygiene`, { headers: { 'x-svc-admin': key } });
    const admin = { headers: { 'x-svc-admin': key } };
    // Proposals are measured in the background. A claim with unusual noise does not count.
    await until(async () => {
      const sample = await fetch(`${address}/api/v1/calibration/sample`, admin);
      const { rungs } = (await sample.json()) as { rungs: { claims_held: number; proposal: object | null }[] };
      return rungs.every(({ claims_held }) => claims_held > 110) && rungs.some(({ proposal }) => proposal !== null);
    });
    const listed = await fetch(`${address}/api/v1/claims/rows?population=sample&limit=200`, admin);
    // Each row says that it is simulated, by its key and by its stones.
    const { items } = (await listed.json()) as { items: Record<'key' | 'rough' | 'polish', string>[] };
    expect(items).toHaveLength(120);
    for (const { rough, polish } of items) expect([rough, polish].join()).toMatch(/^SIMULATED-\d+,SIMULATED-\d+\.1$/);
    expect(new Set(items.map(({ key }) => key))).toEqual(new Set(['simulated stones']));
    const { checks } = (await answer.json()) as { checks: { check: string; found: number }[] };
    expect(checks.filter(({ found }) => found > 0)).toEqual([]);
    const findings = await fetch(`${address}/api/v1/findings`, admin);
    expect(((await findings.json()) as { items: object[] }).items).toEqual([]);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  } finally {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
});
