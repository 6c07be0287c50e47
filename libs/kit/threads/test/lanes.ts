/** Lanes for the pool's tests: each job's payload says what to do. */
import { setTimeout } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import type { Handler, Handlers } from '../protocol.js';

async function perform(
  what: { do: string; ms?: number; data?: Float32Array; gate?: Int32Array },
  batch: number,
  goOn: () => void,
): Promise<unknown> {
  switch (what.do) {
    case 'crash':
      process.exit(3);
      break;
    case 'throw':
      setImmediate(() => {
        throw new Error('out of hand');
      });
      await setTimeout(60_000);
      break;
    case 'hang':
      for (;;);
    case 'steps':
      for (;;) goOn();
    case 'sleep':
      await setTimeout(what.ms);
      break;
    case 'wait':
      Atomics.wait(what.gate!, 0, 0);
      break;
    case 'refuse':
      throw new Error('refused');
    case 'sum':
      return what.data!.reduce((a, b) => a + b, 0);
  }
  return { thread: threadId, batch };
}

const work: Handler = async (jobs, reply) => {
  for (const { id, payload, goOn } of jobs) {
    try {
      reply([{ id, value: await perform(payload, jobs.length, goOn) }]);
    } catch (error) {
      reply([{ id, error: String(error) }]);
    }
  }
};

export function lanes(data: unknown): Handlers {
  if (data === 'cannot start') throw new Error('no model');
  return { first: work, second: work, patient: work };
}
