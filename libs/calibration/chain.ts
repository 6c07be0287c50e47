/** The chain over a population's calibration events: each carries the hash of all before it. docs/audit/chain.md. */
import { chainRootsOf, eventChain, rootAfter } from '#kit/log/chain';
import type { RecordedEvent } from '#kit/log/port';

export const calibrationChain = eventChain('mvs-calibration-chain/1');

/** The chain roots before a calibration stream's first event and after each, 64 hex digits. */
export const chainRoots = (population: string, events: readonly RecordedEvent[]): [string, ...string[]] =>
  chainRootsOf(calibrationChain, population, events);

/** The chain root after all of them. */
export const chainRoot = (population: string, events: readonly RecordedEvent[]): string =>
  rootAfter(calibrationChain, population, events);
