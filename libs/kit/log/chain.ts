/** Chains over the events of a stream: each event carries the hash of all before it. docs/audit/chain.md. */
import { createHash } from 'node:crypto';
import type { Chain } from '#domain/approval';
import { original, type RecordedEvent } from './port.js';
import { exportLine } from './transfer.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The hash of a stream's events, 64 hex digits.
 * @param name of the rule, so that no two kinds of streams have a root in common
 */
export const eventChain = (name: string): Chain<RecordedEvent> => ({
  beginning: (owner) => sha256(JSON.stringify([name, owner])),
  after: (root, event) => sha256(`${root}\n${exportLine(original(event))}\n`),
});

/** The root after all of a stream's events. */
export const rootAfter = (
  { beginning, after }: Chain<RecordedEvent>,
  owner: string,
  events: readonly RecordedEvent[],
) => events.reduce(after, beginning(owner));

/** The roots before a stream's first event and after each. */
export function chainRootsOf(
  { beginning, after }: Chain<RecordedEvent>,
  owner: string,
  events: readonly RecordedEvent[],
): [string, ...string[]] {
  const roots: [string, ...string[]] = [beginning(owner)];
  for (const event of events) roots.push(after(roots[roots.length - 1], event));
  return roots;
}
