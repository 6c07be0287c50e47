/**
 * The event log under the fault bench: the double, alone or as a cluster of three; or a real one, named by
 * `MVS_TEST_EVENTSTORE_URL`, of which `MVS_TEST_EVENTSTORE_RESTART` kills a node and starts it again: a shell command that gets
 * the node's address as `$1`.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAddress } from '#kit/log/eventstoredb/address';
import { leaderOf } from '#kit/log/eventstoredb/gossip';
import type { Message } from '../eventstoredb/main.js';
import { freePort } from '../ports.js';
import { startRelay } from '../relay.js';

export interface EventLog {
  url: string;
  /** Starts the double, where it is that. */
  start?(): ChildProcess;
  /**
   * Faults of the log, by name.
   * @param child the double's process
   */
  faults: Map<string, (child?: ChildProcess) => Promise<void>>;
  stop(): Promise<void>;
}

/** So long (ms) a node stands still. */
const STILL_MS = 2_500;
const ROLES = ['leader', 'follower'] as const;

/** @param nodes of the double, 1 or 3 */
export function eventLog(directory: string, nodes: number): Promise<EventLog> {
  const { MVS_TEST_EVENTSTORE_URL: real } = process.env;
  return real ? realLog(real) : double(directory, nodes);
}

async function double(directory: string, nodes: number): Promise<EventLog> {
  const ports = await Promise.all(Array.from({ length: nodes }, freePort));
  const program = fileURLToPath(new URL('../eventstoredb/main.js', import.meta.url));
  const send = (message: Message) => async (child?: ChildProcess) => void child?.send(message);
  const faults: EventLog['faults'] = new Map();
  if (nodes === 1) faults.set('cut store', send({ cut: true }));
  else
    for (const what of ['kill', 'stall', 'cut'] as const)
      for (const to of ROLES) faults.set(`${what} ${to}`, send({ happens: { what, to, ms: STILL_MS } }));
  return {
    url: `esdb://${ports.map((port) => `127.0.0.1:${port}`).join(',')}?tls=false`,
    start: () => fork(program, [join(directory, 'double.db'), ...ports.map(String)], { stdio: 'ignore' }),
    faults,
    stop: async () => {},
  };
}

async function realLog(url: string): Promise<EventLog> {
  const { MVS_TEST_EVENTSTORE_RESTART: command } = process.env;
  const address = parseAddress(url);
  const faults: EventLog['faults'] = new Map();
  // A server takes every variable EVENTSTORE_... for an option of its own.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('EVENTSTORE_')));
  const restart = async (node: string) =>
    void (await promisify(execFile)('sh', ['-c', command ?? '', 'sh', node], { env }));
  if (address.isCluster) {
    for (const role of command ? ROLES : [])
      faults.set(`kill ${role}`, async () => {
        const { leader } = await leaderOf(address, 10_000);
        const node = role === 'leader' ? leader : address.nodes.find((one) => one !== leader);
        if (node) await restart(node);
      });
    return { url, faults, stop: async () => {} };
  }
  const [node] = address.nodes;
  if (command) faults.set('store', () => restart(node));
  if (!/[?&]tls=false/i.test(url)) return { url, faults, stop: async () => {} };
  // The connections to a single server without TLS can be cut on their way.
  const [host, port] = node.split(':');
  const relay = await startRelay({ host, port: Number(port) });
  faults.set('cut store', async () => relay.cut());
  return { url: `esdb://127.0.0.1:${relay.port}?tls=false`, faults, stop: () => relay.close() };
}
