import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ClientGone, Problem } from './problem.js';
import { ReadLimit } from './read-limit.js';

class Response extends EventEmitter {
  destroyed = false;
  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}
/** A read that says when it has its turn. */
function read(limit: ReadLimit, by: string) {
  const response = new Response();
  const one = { response, state: 'waits' as string };
  const entered = limit.enter(by, response as unknown as ServerResponse);
  void entered.then(
    () => (one.state = 'reads'),
    (error) => (one.state = error.constructor.name),
  );
  return one;
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

it('lets two reads of a credential go, and each further one as one of them ends', async () => {
  const limit = new ReadLimit(60_000);
  const all = Array.from({ length: 5 }, () => read(limit, 'operator ada'));
  const states = async () => {
    await soon();
    return all.map(({ state }) => state).join(' ');
  };
  expect(await states()).toBe('reads reads waits waits waits');
  all[3].response.close();
  expect(await states()).toBe(`reads reads waits ${ClientGone.name} waits`);
  all[0].response.close();
  expect(await states()).toBe(`reads reads reads ${ClientGone.name} waits`);
  all[1].response.close();
  all[2].response.close();
  expect(await states()).toBe(`reads reads reads ${ClientGone.name} reads`);
});

it('lets another credential’s read go beside them', async () => {
  const limit = new ReadLimit(60_000);
  const others = Array.from({ length: 9 }, () => read(limit, 'operator ada'));
  const other = read(limit, 'workspace trader');
  await soon();
  expect(other.state).toBe('reads');
  for (const { response } of others) response.close();
});

it('refuses what too many wait before', async () => {
  const limit = new ReadLimit(60_000);
  const all = Array.from({ length: 300 }, () => read(limit, 'operator ada'));
  await soon();
  const refused = all.filter(({ state }) => state === Problem.name);
  expect(refused).toHaveLength(300 - 2 - 256);
  for (const { response } of all) response.close();
});

it('refuses what waits too long', async () => {
  const limit = new ReadLimit(1);
  const all = Array.from({ length: 5 }, () => read(limit, 'operator ada'));
  while (all.some(({ state }) => state === 'waits')) await soon();
  expect(all.map(({ state }) => state)).toEqual(['reads', 'reads', ...Array(3).fill(Problem.name)]);
});
