/** The chain over a population's calibration events: each carries the hash of all before it. docs/calibration.md. */
import { createHash } from 'node:crypto';
import { streamPrefixes } from '#domain';
import { asStored, exportLine, type RecordedEvent } from '#event-store';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What stands before the first event. */
const beginning = (population: string): string => sha256(JSON.stringify(['mvs-calibration-chain/1', population]));

const after = (root: string, event: RecordedEvent): string => sha256(`${root}\n${exportLine(asStored(event))}\n`);

/** The chain root after all of a calibration stream's events, 64 hex digits. */
export const chainRoot = (population: string, events: readonly RecordedEvent[]): string =>
  events.reduce(after, beginning(population));

/** Holds the calibration streams of a log to their chains, event after event in the log's order. */
export class CalibrationChains {
  readonly #streams = new Map<string, { root: string; begun: boolean }>();

  /** What is wrong with the next event, in a sentence; mostly nothing. */
  check(event: RecordedEvent): string | undefined {
    const { stream } = event;
    if (!stream.startsWith(streamPrefixes.calibration)) return undefined;
    const { version, data } = asStored(event);
    const { root, begun } = this.#streams.get(stream) ?? { root: beginning(String(data.population)), begun: false };
    const chained = version > 1;
    this.#streams.set(stream, { root: after(root, event), begun: begun || chained });
    if (chained ? data.chain === root : !begun) return undefined;
    return 'does not carry the hash of the events before it: one of them was changed, taken away or put in';
  }
}
