/**
 * States of short streams as the log has them now, for what must hold at once on every replica: what was folded is kept,
 * only a stream's tail is read again.
 */
import { fold } from '#domain';
import { type EventReader, StoreUnavailable } from '#event-store';
import type { Folded } from './command-handler.js';

interface Reading<State> {
  done: Promise<Folded<State>>;
  /** For whoever asks while this one is under way: it may have passed what they must see. */
  next?: Promise<Folded<State>>;
}

export class FoldedStreams<State, Event> {
  /** Only streams that exist: a flood of wrong names fills nothing. */
  private readonly held = new Map<string, Folded<State>>();
  private readonly readings = new Map<string, Reading<State>>();

  constructor(
    private readonly store: Pick<EventReader, 'readStream'>,
    private readonly evolve: (state: State, event: Event) => State,
    private readonly initial: State,
  ) {}

  /**
   * The state at a moment after the call. Callers share a read that begins after all of them asked; where the log is away
   * they are told with the read under way, not after another wait.
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
    const held = this.held.get(stream) ?? { state: this.initial, revision: -1n };
    const tail = await this.store.readStream(stream, { from: held.revision + 1n });
    if (tail.length === 0) return held;
    const state = fold(this.evolve, held.state, tail as unknown as Event[]);
    const read = { state, revision: tail[tail.length - 1].revision };
    this.held.set(stream, read);
    return read;
  }
}
