// A process to be killed: appends without end from several writers and prints each acknowledged append on stdout.
// Arguments: the data directory, the number of writers, the bytes of an event.

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { newEventId } from '../../event-id.js';
import { openSqliteEventStore } from '../store.js';

const [directory, writers, bytes] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
try {
  const store = await openSqliteEventStore({ directory });
  say('open');
  const text = 'x'.repeat(Number(bytes));
  await Promise.all(
    Array.from({ length: Number(writers) }, async (_, writer) => {
      const stream = `writer-${writer}`;
      let next = BigInt((await store.readStream(stream)).length);
      for (;;) {
        const event = { id: newEventId(), type: 'Written', version: 1, data: { n: Number(next), text } };
        try {
          await store.append(stream, [event], next === 0n ? 'no_stream' : next - 1n);
          say(`${stream} ${next}`);
          next++;
        } catch (error) {
          say(`${(error as Error).name}: ${(error as Error).message}`);
          await sleep(50);
        }
      }
    }),
  );
} catch (error) {
  say(`${(error as Error).name}: ${(error as Error).message}`);
  process.exitCode = 1;
}
