/** The chain over a population's calibration events: each carries the hash of all before it. docs/audit/chain.md. */
import { createHash } from 'node:crypto';
import { original, type RecordedEvent } from '#kit/log/port';
import { exportLine } from '#kit/log/transfer';
import type { Chain } from './obey.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const calibrationChain: Chain<RecordedEvent> = {
  beginning: (population) => sha256(JSON.stringify(['mvs-calibration-chain/1', population])),
  after: (root, event) => sha256(`${root}\n${exportLine(original(event))}\n`),
};

/** The chain roots before a calibration stream's first event and after each, 64 hex digits. */
export function chainRoots(population: string, events: readonly RecordedEvent[]): [string, ...string[]] {
  const roots: [string, ...string[]] = [calibrationChain.beginning(population)];
  for (const event of events) roots.push(calibrationChain.after(roots[roots.length - 1], event));
  return roots;
}

/** The chain root after all of them. */
export const chainRoot = (population: string, events: readonly RecordedEvent[]): string =>
  events.reduce(calibrationChain.after, calibrationChain.beginning(population));
