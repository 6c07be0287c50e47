/** Chains over the events of a stream: each event carries the hash of all before it. docs/audit/chain.md. */
import { createHash } from 'node:crypto';
import { original, type RecordedEvent } from './port.js';
import { exportLine } from './transfer.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The hash of a stream's events: before the first, and after one more; 64 hex digits. */
export interface EventChain {
  /** @param owner of the stream: a population, or the id of a workspace */
  beginning(owner: string): string;
  after(root: string, event: RecordedEvent): string;
}

/** @param name of the rule, so that no two kinds of streams have a root in common */
export const eventChain = (name: string): EventChain => ({
  beginning: (owner) => sha256(JSON.stringify([name, owner])),
  after: (root, event) => sha256(`${root}\n${exportLine(original(event))}\n`),
});

/** The roots before a stream's first event and after each. */
export function chainRootsOf(
  { beginning, after }: EventChain,
  owner: string,
  events: readonly RecordedEvent[],
): [string, ...string[]] {
  const roots: [string, ...string[]] = [beginning(owner)];
  for (const event of events) roots.push(after(roots[roots.length - 1], event));
  return roots;
}
