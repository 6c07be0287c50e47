// The threads of ThreadPool run this: one order at a time in, one answer out.
import { types } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { type Answer, type Order, Transferred } from './thread-pool.js';

const port = parentPort;
port?.on('message', async ({ module, exportName, args }: Order) => {
  try {
    const job = (await import(module))[exportName];
    if (typeof job !== 'function') throw new TypeError(`${module} exports no function ${exportName}`);
    const result: unknown = await job(...args);
    if (result instanceof Transferred) port.postMessage({ value: result.value } satisfies Answer, result.transfer);
    else port.postMessage({ value: result } satisfies Answer);
  } catch (error) {
    // Only native errors survive being cloned.
    const cause = types.isNativeError(error) ? error : new Error(String(error));
    port.postMessage({ error: cause } satisfies Answer);
  }
});
