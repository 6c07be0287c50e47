import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { newEventId } from '#kit/log/event-id';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { HighWaterMark, markedStore, readMark } from '#kit/log/high-water-mark';
import { LogLoss } from '#kit/log/port';
import { refuseLoss } from '../../apps/server/loss.js';
import { LOG_SECRET, startDouble } from './double.js';
import { openDoubleLog } from './log.js';

/** Two logs that stand for one before and after it was rolled back, so the double whatever server the other suites are given. */
it('a replica does not serve an EventStoreDB that lacks the newest event that it acknowledged', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-loss-'));
  const [before, after] = await Promise.all(
    ['before.db', 'after.db'].map((name) => startDouble(openDoubleLog(join(directory, name)))),
  );
  const onLog = async (connectionString: string, acceptLoss?: string, events = 0) => {
    const mark = new HighWaterMark(directory, () => {});
    const opened = openEventStoreDB({ secrets: [LOG_SECRET], connectionString });
    const store = markedStore(opened, mark);
    const parts = { logger: pino({ level: 'silent' }), now: () => new Date(), newId: newEventId };
    try {
      await refuseLoss({ store, seals: opened.seals, mark, directory, sqlite: false, acceptLoss, ...parts });
      for (let n = 0; n < events; n++)
        await store.append('edge', [{ id: newEventId(), type: 'Tested', version: 1, data: { n } }], 'any');
      return (await store.readStream('log')).filter(({ type }) => type !== 'LogBegun');
    } finally {
      await store.close();
    }
  };
  try {
    expect(await onLog(before.connectionString, undefined, 3)).toEqual([]);
    expect(readMark(directory)).toMatchObject({ stream: 'edge', revision: 2n });
    expect(await onLog(before.connectionString)).toEqual([]);
    const refusal = onLog(after.connectionString);
    await expect(refusal).rejects.toThrow(LogLoss);
    await expect(refusal).rejects.toThrow(/lacks events that .*\(revision 2 of stream edge\).* --accept-loss/);
    expect(readMark(directory)).toMatchObject({ stream: 'edge' });
    const [accepted] = await onLog(after.connectionString, 'put back from a backup');
    const data = { missing: null, holes: [], newest: { stream: 'edge' }, reason: 'put back from a backup' };
    expect(accepted).toMatchObject({ type: 'LossAccepted', data });
    expect(await onLog(after.connectionString)).toHaveLength(1);
  } finally {
    await Promise.all([before.close(), after.close()]);
    rmSync(directory, { recursive: true });
  }
});
