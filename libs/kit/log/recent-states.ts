/** States of streams as they are, or were half a minute ago: for what may count that much later. */
import type { Decider } from '#domain/decider';
import type { EventReader } from './port.js';
import { readState } from './stored-events.js';

const FRESH_MILLISECONDS = 30_000;

interface Known<State> {
  state: State;
  until: number;
}

export class RecentStates<State, Event> {
  private readonly known = new Map<string, Known<State>>();
  private readonly readings = new Map<string, Promise<State>>();

  constructor(
    private readonly store: Pick<EventReader, 'readStream'>,
    private readonly aggregate: Pick<Decider<State, never, Event, string>, 'initial' | 'evolve'>,
  ) {}

  /**
   * The known state; an old one is read again meanwhile.
   * @throws StoreUnavailable where nothing is known
   */
  async at(stream: string): Promise<State> {
    const known = this.known.get(stream);
    if (known && known.until >= performance.now()) return known.state;
    const reading = this.read(stream);
    if (!known) return reading;
    reading.catch(() => {});
    return known.state;
  }

  /** As the log has it now. */
  read(stream: string): Promise<State> {
    const under = this.readings.get(stream);
    if (under) return under;
    const reading = readState<State, Event>(this.store, stream, this.aggregate)
      .then(({ state }) => this.keep(stream, state))
      .finally(() => this.readings.delete(stream));
    this.readings.set(stream, reading);
    return reading;
  }

  keep(stream: string, state: State): State {
    this.known.set(stream, { state, until: performance.now() + FRESH_MILLISECONDS });
    return state;
  }
}
