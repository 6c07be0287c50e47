/** Vectors of scan sets, read where they stand in the log. */

import type { EventReader } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { readEvents } from '#kit/log/stored-events';
import { bankedVectors } from '#kit/views/vectors';
import type { ScanSetBanked } from './events-bank.js';

/** The place of a set's event. */
export interface BankedPlace {
  stream: string;
  revision: number;
}

/** By one model; what was read is kept. */
export class BankedVectors {
  private readonly reads = new Map<string, Promise<Map<number, Float32Array>>>();

  constructor(
    private readonly log: Pick<EventReader, 'readStream'>,
    /** The model's, in its order. */
    private readonly encoders: readonly string[],
  ) {}

  /**
   * The vectors of two sets, by encoder one after the other; such as stand side by side, as a claim's own, are read together.
   * @throws UnreadableEvent, StreamUndecidable, StoreUnavailable, CommandRefused where a row was disowned since
   */
  pair(one: BankedPlace, other: BankedPlace): Promise<[Float32Array, Float32Array]> {
    return Promise.all([this.at(one, other), this.at(other, one)]);
  }

  private async at({ stream, revision }: BankedPlace, other: BankedPlace): Promise<Float32Array> {
    const beside = other.stream === stream && Math.abs(other.revision - revision) === 1;
    const from = beside ? Math.min(revision, other.revision) : revision;
    const name = `${from} ${beside} ${stream}`;
    const read = this.reads.get(name) ?? this.read(stream, from, beside ? 2 : 1);
    this.reads.set(name, read);
    const vectors = (await read).get(revision);
    if (vectors) return vectors;
    throw new CommandRefused(
      'conflict',
      `the views count vectors at ${revision} of stream ${stream}, whose row was disowned since: stop the service and make ` +
        'its views anew with: mvs views rebuild',
    );
  }

  private async read(stream: string, from: number, limit: number): Promise<Map<number, Float32Array>> {
    const events = await readEvents<ScanSetBanked>(this.log, stream, { from: BigInt(from), limit });
    const banked = events.filter(({ type }) => type === 'ScanSetBanked');
    return new Map(banked.map(({ revision, data }) => [Number(revision), this.inOrder(data.vectors)]));
  }

  private inOrder(vectors: Record<string, string>): Float32Array {
    const missing = this.encoders.find((name) => !(name in vectors));
    if (missing !== undefined) throw new RangeError(`a banked set has no vector of encoder ${missing}`);
    const banked = bankedVectors(Object.fromEntries(this.encoders.map((name) => [name, vectors[name]])));
    if (!banked) throw new RangeError('a banked vector cannot be read');
    return banked;
  }
}
