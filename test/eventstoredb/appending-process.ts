/** A process that may die of what the client does: `appending-process.js WHAT PORT WAY`. Says what became of its appends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { newEventId } from '#kit/log/event-id';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { AppendWay } from '#kit/log/eventstoredb/streams';
import { LOG_SECRET } from './double.js';

const [what, port, way] = process.argv.slice(2);
const appendBy = way as AppendWay;
/** Two ways to one server: the client keeps what all of its objects have pending in one table. */
const urls = ['127.0.0.1', 'localhost'].map((host) => `esdb://${host}:${port}?tls=false`);
const nameOf = (work: Promise<unknown>) => work.then(() => 'done').catch((error: Error) => error.name);
const say = (outcomes: string[]) => process.send?.(outcomes, () => process.exit(0));

if (what === 'client') {
  const [one, other] = urls.map((url) => EventStoreDBClient.connectionString(url));
  const append = (client: EventStoreDBClient, stream: string) =>
    nameOf(client.appendToStream(stream, jsonEvent({ type: 'Tested', data: {} })));
  void append(other, 'late-1');
  await sleep(300);
  const failed = await append(one, 'failing-1');
  await sleep(2_000);
  say([failed]);
} else {
  const [one, other] = urls.map((connectionString) =>
    openEventStoreDB({ secrets: [LOG_SECRET], connectionString, appendBy }),
  );
  const append = (store: typeof one, stream: string) =>
    nameOf(store.append(stream, [{ id: newEventId(), type: 'Tested', version: 1, data: {} }], 'any'));
  if (what === 'adapter') {
    const late = append(other, 'late-1');
    await sleep(300);
    say([await append(one, 'failing-1'), await late]);
  } else {
    const error = new Error('nobody holds this promise');
    const at =
      what === 'thrown by the client' ? 'node_modules/@eventstore/db-client/dist/Client/index.js' : 'elsewhere.js';
    error.stack = `Error: ${error.message}\n    at Client.handleError (file:///${at}:1:1)`;
    void Promise.reject(error);
    await sleep(500);
    say([await append(one, 'any-1')]);
  }
}
