// The program of every pool's threads: one message at a time, marked ones before the others.
import { setImmediate } from 'node:timers/promises';
import { types } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type BatchMessage,
  CALL,
  type Call,
  END,
  type Handler,
  type Handlers,
  type Jobs,
  type Reply,
  STATE,
  type ThreadData,
  type ThreadMessage,
  Transferred,
} from './protocol.js';

const port = parentPort!;
const { module, data, states } = workerData as ThreadData;
const handlers: Handlers = { ...(module !== undefined && (await (await import(module)).lanes(data))), [CALL]: call };

const reply: Reply = (results, transfer) => {
  if (results.length > 0) port.postMessage({ results } satisfies ThreadMessage, transfer);
};

/** Only native errors survive being cloned. */
const cloneable = (error: unknown) => (types.isNativeError(error) ? error : new Error(String(error)));

async function call(jobs: Jobs<Call>): Promise<void> {
  for (const { id, payload, goOn } of jobs) {
    goOn();
    const run = (await import(payload.module))[payload.exportName];
    if (typeof run !== 'function') throw new TypeError(`${payload.module} exports no function ${payload.exportName}`);
    const result: unknown = await run(...payload.args, (progress: unknown) => reply([{ id, progress }]));
    if (result instanceof Transferred) reply([{ id, value: result.value }], result.transfer);
    else reply([{ id, value: result }]);
  }
}

async function answer({ lane, jobs: sent }: BatchMessage): Promise<void> {
  const jobs = sent.map(({ slot, ...job }) => {
    Atomics.or(states, slot, STATE.begun);
    const goOn = () => {
      if (Atomics.load(states, slot) & STATE.givenUp) throw new Error('the caller gave the job up');
    };
    return { ...job, goOn };
  });
  try {
    await (handlers[lane] as Handler)(jobs as Jobs<never>, reply);
  } catch (error) {
    reply(jobs.map(({ id }) => ({ id, error: cloneable(error) })));
  }
}

const atHand: BatchMessage[] = [];
let busy = false;
port.on('message', async (message: BatchMessage | typeof END) => {
  if (message === END) process.exit();
  if (message.first) atHand.unshift(message);
  else atHand.push(message);
  if (busy) return;
  busy = true;
  for (let next = atHand.shift(); next; next = atHand.shift()) {
    await answer(next);
    // Messages that came meanwhile are heard before the next one is begun.
    await setImmediate();
  }
  busy = false;
});
port.postMessage('ready' satisfies ThreadMessage);
