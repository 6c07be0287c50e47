import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, jest } from '@jest/globals';
import { event } from '../conformance/support.js';
import { describeEventStore } from '../conformance.js';
import { openSqliteEventStore } from './store.js';

describeEventStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-log-'));
  let current = await openSqliteEventStore({ directory });
  return {
    store: current,
    reopen: async () => {
      await current.close();
      current = await openSqliteEventStore({ directory });
      return current;
    },
    dispose: async () => {
      await current.close();
      rmSync(directory, { recursive: true });
    },
  };
});

it('writes an append and those before it in one transaction, however many wait', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-log-'));
  const store = await openSqliteEventStore({ directory });
  const posted = jest.spyOn(Worker.prototype, 'postMessage');
  try {
    const before = (n: number) => [{ stream: `before-${n}`, events: [event()], expected: 'any' as const }];
    await Promise.all(
      Array.from({ length: 700 }, (_, n) =>
        n % 2 === 0
          ? store.append(`alone-${n}`, [event()], 'any')
          : store.append(`last-${n}`, [event()], 'any', before(n)),
      ),
    );
    const groups = posted.mock.calls.map(([message]) => (message as { stream: string }[]).map(({ stream }) => stream));
    expect(groups.length).toBeGreaterThan(1);
    for (const group of groups) {
      for (const [i, stream] of group.entries())
        if (stream.startsWith('before-')) expect(group[i + 1]).toBe(stream.replace('before', 'last'));
    }
  } finally {
    posted.mockRestore();
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
