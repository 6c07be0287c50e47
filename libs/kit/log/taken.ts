/** Holds a log to what operators took as it stood: the digest over its events up to a place. */
import { isOwnStream } from '#domain/streams';
import type { LogSealed } from '#kit/log/events-sealed';
import { type RecordedEvent, UnreadableEvent } from './port.js';
import { exportLine, LogDigest } from './transfer.js';

/** The service's own events of a log in its order, as a digest. */
export class TakenDigest extends LogDigest {
  take(read: RecordedEvent | UnreadableEvent): void {
    if (!isOwnStream(read.stream)) return;
    this.add(read instanceof UnreadableEvent ? `unreadable ${read.stream} ${read.revision}` : exportLine(read));
  }
}

export interface TakenFault {
  position: string;
  problem: string;
}

/** Given every event of a log in its order, as it stands there, finds the decisions that no longer hold. */
export class TakenCheck {
  private readonly digest = new TakenDigest();
  private waiting: readonly LogSealed['data'][];

  constructor(taken: readonly LogSealed['data'][]) {
    this.waiting = [...taken].sort((a, b) => Number(BigInt(a.position) - BigInt(b.position)));
  }

  /** @returns faults of the decisions about what stands before it */
  take(read: RecordedEvent | UnreadableEvent): TakenFault[] {
    if (this.waiting.length === 0) return [];
    const faults = this.settle(read.position);
    this.digest.take(read);
    return faults;
  }

  /** After the last event. */
  end(): TakenFault[] {
    return this.settle(undefined);
  }

  private settle(next: bigint | undefined): TakenFault[] {
    const due = this.waiting.filter(({ position }) => next === undefined || BigInt(position) < next);
    if (due.length === 0) return [];
    this.waiting = this.waiting.slice(due.length);
    const { events } = this.digest;
    const found = this.digest.hex();
    return due
      .filter((one) => one.sha256 !== found)
      .map(({ position, events: then, operator, at }) => ({
        position,
        problem:
          `the log up to position ${position} is not what ${operator} sealed at ${at}: ${events} events where ${then} were, ` +
          'or other bytes',
      }));
  }
}
