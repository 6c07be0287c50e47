/** A worker thread for the pool's tests: does what each job's payload says. */
import { parentPort, threadId } from 'node:worker_threads';
import type { BatchMessage } from '../thread-pool.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function perform(what: { do: string; ms?: number; data?: Float32Array }, batch: number): Promise<unknown> {
  switch (what.do) {
    case 'crash':
      process.exit(3);
      break;
    case 'throw':
      setImmediate(() => {
        throw new Error('out of hand');
      });
      await pause(60_000);
      break;
    case 'hang':
      for (;;);
    case 'sleep':
      await pause(what.ms ?? 0);
      break;
    case 'refuse':
      throw new Error('refused');
    case 'sum':
      return what.data!.reduce((a, b) => a + b, 0);
  }
  return { thread: threadId, batch };
}

async function answer({ jobs }: BatchMessage): Promise<void> {
  for (const { id, payload } of jobs) {
    try {
      const value = await perform(payload as Parameters<typeof perform>[0], jobs.length);
      parentPort!.postMessage({ results: [{ id, value }] });
    } catch (error) {
      parentPort!.postMessage({ results: [{ id, error: String(error) }] });
    }
  }
}

const atHand: BatchMessage[] = [];
let busy = false;
parentPort!.on('message', async (message: BatchMessage) => {
  if (message.first) atHand.unshift(message);
  else atHand.push(message);
  if (busy) return;
  busy = true;
  for (let next = atHand.shift(); next; next = atHand.shift()) await answer(next);
  busy = false;
});
parentPort!.postMessage('ready');
