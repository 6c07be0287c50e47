/** A standard output that takes nothing more: a full disk, and a pipe that nobody reads. */
import { existsSync } from 'node:fs';
import { freePort } from '../../test/ports.js';
import { until } from '../../test/until.js';
import { claimOf } from './test/fixture.js';
import { ServingProcess } from './test/process.js';

let serving: ServingProcess;
afterEach(() => serving?.remove());

const output = async () =>
  (await serving.call('GET', '/health/detail', { headers: serving.operator })).body.parts.log_output;
const ready = async () => (await serving.call('GET', '/health/ready')).body;
const counted = async () => {
  const { body } = await serving.call('GET', '/metrics', { headers: serving.operator });
  return Number(/^mvs_log_lines_dropped_total (.+)$/m.exec(body)?.[1]);
};

(existsSync('/dev/full') ? it : it.skip)('a full one: claims are answered, what is not logged is counted', async () => {
  serving = await ServingProcess.start({ environment: { PORT: String(await freePort()) }, output: '/dev/full' });
  for (let stone = 0; stone < 3; stone++) expect((await serving.verify(claimOf(stone))).status).toBe(200);
  expect((await serving.call('GET', '/health/live')).status).toBe(200);
  expect(await ready()).toMatchObject({ status: 'degraded', parts: { log_output: { status: 'dropping' } } });
  const { status, dropped } = await output();
  expect([status, dropped > 5]).toEqual(['dropping', true]);
  expect(await counted()).toBeGreaterThan(dropped);
  expect(await serving.end('SIGTERM')).toBe(0);
});

it('a pipe that is not read: the same, and once it is read again the log says what it lacks', async () => {
  serving = await ServingProcess.start();
  serving.output.pause();
  const headers = { 'x-request-id': 'x'.repeat(128) };
  await until(async () => {
    const asked = Array.from({ length: 100 }, () => serving.call('GET', '/health/live', { headers }));
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    return (await output()).dropped > 0;
  });
  expect(await ready()).toMatchObject({ status: 'degraded', parts: { log_output: { status: 'dropping' } } });
  expect((await serving.verify(claimOf(1))).status).toBe(200);
  serving.output.resume();
  await until(async () => (await ready()).status === 'ok');
  const { dropped } = await output();
  const told = () =>
    serving.lines.filter((line) => line.includes('"log lines dropped"')).map((line) => JSON.parse(line));
  await until(() => told().reduce((sum, { lines }) => sum + lines, 0) === dropped);
  expect(await serving.end('SIGTERM')).toBe(0);
});

it('a pipe whose reader has gone: claims are answered', async () => {
  serving = await ServingProcess.start();
  serving.output.destroy();
  for (let stone = 0; stone < 3; stone++) expect((await serving.verify(claimOf(stone))).status).toBe(200);
  await until(async () => (await output()).dropped > 3);
  expect(await serving.end('SIGTERM')).toBe(0);
});
