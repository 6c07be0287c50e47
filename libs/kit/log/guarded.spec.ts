import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEventId } from './event-id.js';
import { guardedStore } from './guarded.js';
import { InvalidEvent } from './port.js';
import { openSqliteEventStore } from './sqlite/store.js';

it('refuses the whole of an append for one event with a fault', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-guarded-'));
  const store = await openSqliteEventStore({ directory });
  try {
    const guarded = guardedStore(store, (stream, { data }) => (data.n === 2 ? `holds 2 in ${stream}` : undefined));
    const events = (...numbers: number[]) =>
      numbers.map((n) => ({ id: newEventId(), type: 'Counted', version: 1, data: { n } }));
    await expect(guarded.append('a', events(1, 2), 'any')).rejects.toThrow(
      new InvalidEvent('a', 'Counted', 'holds 2 in a'),
    );
    expect(await guarded.readStream('a')).toEqual([]);
    await guarded.append('a', events(1, 3), 'no_stream');
    expect((await guarded.readStream('a')).map(({ data }) => data.n)).toEqual([1, 3]);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
