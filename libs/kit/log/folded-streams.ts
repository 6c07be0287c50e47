/**
 * Current states of short streams, for facts that must hold at once on every replica. The folded state is kept; only the
 * tail of a stream is read again.
 */
import type { Decider } from '#domain/decider';
import { type EventReader, StoreUnavailable } from './port.js';
import { type Folded, readState } from './stored-events.js';

interface Reading<State> {
  done: Promise<Folded<State>>;
  /** The read for callers who ask while this one is under way: this one may have passed events that they must see. */
  next?: Promise<Folded<State>>;
}

export class FoldedStreams<State, Event> {
  /** Only streams that exist: a flood of wrong names fills nothing. */
  private readonly held = new Map<string, Folded<State>>();
  private readonly readings = new Map<string, Reading<State>>();

  constructor(
    private readonly store: Pick<EventReader, 'readStream'>,
    private readonly aggregate: Pick<Decider<State, never, Event, string>, 'initial' | 'evolve'>,
  ) {}

  /** Result of the last read, where there is a stream. No decision may rest on it. */
  seen(stream: string): Folded<State> | undefined {
    return this.held.get(stream);
  }

  /**
   * The state at a moment after the call. Callers share a read that begins after all of them asked. Where the log is away
   * they get the result of the read under way instead of waiting again.
   */
  read(stream: string): Promise<Folded<State>> {
    const reading = this.readings.get(stream);
    if (!reading) return this.begin(stream);
    const begin = () => this.begin(stream);
    reading.next ??= reading.done.then(begin, (error) => {
      if (!(error instanceof StoreUnavailable)) return begin();
      this.readings.delete(stream);
      throw error;
    });
    return reading.next;
  }

  private begin(stream: string): Promise<Folded<State>> {
    const reading: Reading<State> = {
      done: this.readTail(stream).finally(() => {
        if (this.readings.get(stream) === reading && !reading.next) this.readings.delete(stream);
      }),
    };
    this.readings.set(stream, reading);
    return reading.done;
  }

  private async readTail(stream: string): Promise<Folded<State>> {
    const held = this.held.get(stream);
    const read = await readState(this.store, stream, this.aggregate, { seen: held });
    if (read.revision > (held?.revision ?? -1n)) this.held.set(stream, read);
    return read;
  }
}
