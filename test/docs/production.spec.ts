/** docs/operate/production.md word for word: its commands on one machine, with Redis and the double of the log's server. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../apps/server/test/client.js';
import { claimOf } from '../../apps/server/test/fixture.js';
import { root } from '../client/packed.js';
import { endings } from '../endings.js';
import { startDouble } from '../eventstoredb/double.js';
import { openDoubleLog } from '../eventstoredb/log.js';
import { freePort } from '../ports.js';
import { redisIsHere, startRedis } from '../redis.js';
import { until } from '../until.js';

const OPERATOR = 'a secret of this test';
const atEnd = endings();

(redisIsHere ? it : it.skip)('a machine of the production profile, as the page has it', async () => {
  const directory = atEnd(mkdtempSync(join(tmpdir(), 'mvs-page-')), (one) => rmSync(one, { recursive: true }));
  const redis = atEnd(await startRedis(), (one) => one.stop());
  const double = atEnd(await startDouble(openDoubleLog(join(directory, 'double.db'))), (one) => one.close());
  const page = readFileSync(join(root, 'docs/operate/production.md'), 'utf8');
  const [, commands] = /^```sh not run: test\/docs\/production[^\n]*\nnpm ci [^\n]*\n(.*?)^```\n/ms.exec(page) ?? [];
  const ports = new Map<string, number>();
  for (const port of ['3001', '3002', '3010']) ports.set(port, await freePort());
  const given: [string | RegExp, string][] = [
    [/esdb:\/\/\S+/, double.connectionString],
    [/redis:\/\/\S+/, redis.url],
    ['olga:SHA256HEX', `olga:${createHash('sha256').update(OPERATOR).digest('hex')}`],
    ['=SHA256HEX', `=${'f'.repeat(64)}`],
    ['$PWD/var', directory],
    [/\bvar\b/g, directory],
    ...[...ports].map(([port, free]): [string, string] => [`PORT=${port}`, `PORT=${free}`]),
  ];
  const script = given.reduce((text, [from, to]) => text.replace(from, () => to), commands);
  const [end] = /kill( %\d)+/.exec(page) ?? [];
  const whole = `set -em\n${script}pids=$(jobs -p)\nread line\n${end}\nfor pid in $pids; do wait $pid; echo ended $?; done\n`;
  const shell = spawn('bash', ['-c', whole], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  atEnd(shell, (one) => one.kill('SIGKILL'));
  let said = '';
  shell.stdout.on('data', (text: Buffer) => {
    said += text;
  });
  const clients = [...ports].map(([name, port]) => {
    const client = Object.assign(new Client(), { address: `http://127.0.0.1:${port}`, operatorKey: OPERATOR });
    return [name, client] as const;
  });
  for (const [, client] of clients)
    await until(async () => (await client.call('GET', '/health/ready').catch(() => undefined))?.body.status === 'ok');
  const [[, one], [, other], [, operators]] = clients;
  one.apiKey = other.apiKey = await operators.createKey('lab-a');
  const answers = [await one.verify(claimOf(1)), await other.verify(claimOf(1))];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1].body).toEqual(answers[0].body);
  const { claim_id } = answers[0].body;
  const listed = await operators.call('GET', `/api/v1/claims/${claim_id}`, { headers: operators.operator });
  expect(listed.body).toMatchObject({ claim_id, verdict: answers[0].body.verdict });
  shell.stdin.end('\n');
  await new Promise((resolve) => shell.once('close', resolve));
  expect(said.match(/ended \d+/g)).toEqual(Array(4).fill('ended 0'));
});
