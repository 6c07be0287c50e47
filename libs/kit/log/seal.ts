/**
 * The seal of an event: a message authentication code by a secret that is not in the log, over the event, its place in its
 * stream, the log's name and, where one process writes (SQLite), the seal before it. A row of the service's streams
 * without a seal that fits is damage: it takes its position and is no event. A stream that holds one is refused when it is
 * read, until an operator disowns the row (`RowsDisowned`).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LogSealed, RowsDisowned } from '#kit/log/events-sealed';
import { type EventReader, type EventStore, LogSecretMissing, type Metadata } from './port.js';
import { sha256Hex } from './secrets.js';

const FORM = 'mvs-seal/2';
/** One text for each code: the last of 43 letters bears four bits. */
const SEAL = /^([0-9a-f]{8})[.]([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;
/** Rows that are remembered one by one; beyond it they are counted no more. */
const MAX_REMEMBERED = 100_000;
const MAX_LISTED = 100;

/** All of an event that a seal covers, as text where bytes matter. */
export interface Sealable {
  stream: string;
  revision: bigint | number;
  id: string;
  type: string;
  version: number;
  /** Unix milliseconds. */
  recordedAt: number;
  /** As `metadataText` gives it. */
  metadata: string | null;
  data: string;
  /** Seal of the event before it in the log, '' of the first one; left out where several processes write. */
  before?: string;
}

/** A row of the log that is damage. */
export interface DamagedRow {
  position: bigint;
  stream: string;
  /** -1n where it has none. */
  revision: bigint;
  type: string;
  problem: string;
}

/** The id under which a seal names its secret: 8 hex digits. */
export const secretId = (secret: string): string => sha256Hex(`mvs-log-secret-id\n${secret}`).slice(0, 8);

/** Id of the secret that a seal names, be it right or wrong; undefined where it is no seal. */
export const sealedBy = (seal: string | undefined): string | undefined => SEAL.exec(seal ?? '')?.[1];

/** Metadata in one order, as text; null where there are none. */
export function metadataText(metadata: Metadata | undefined): string | null {
  const kept = Object.entries(metadata ?? {}).filter(([, value]) => value !== undefined);
  if (kept.length === 0) return null;
  return JSON.stringify(kept.length === 1 ? metadata : Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** What operators decided about the log, by its stream `log`. */
export interface Decisions {
  taken: readonly LogSealed['data'][];
  /** Positions of rows that are passed over for ever. */
  disowned: ReadonlySet<bigint>;
}

export const decisionsIn = (events: readonly { type: string; data: object }[]): Decisions => ({
  taken: events.flatMap(({ type, data }) => (type === 'LogSealed' ? [data as LogSealed['data']] : [])),
  disowned: new Set(
    events
      .flatMap(({ type, data }) => (type === 'RowsDisowned' ? (data as RowsDisowned['data']).rows : []))
      .map(({ position }) => BigInt(position)),
  ),
});

/** The secrets of a log, and what is known of the log's rows by them. */
export class LogSeals {
  /** By id, the newest first. */
  private readonly secrets: ReadonlyMap<string, string>;
  private name: string | undefined;
  private decisions: Decisions = { taken: [], disowned: new Set() };
  /** Streams of damaged rows, by position. */
  private readonly remembered = new Map<bigint, string>();
  private readonly listed: DamagedRow[] = [];

  /**
   * @param given the newest first; none: nothing is appended, and no row is an event
   * @param onFound told once of each damaged row
   */
  constructor(
    readonly given: readonly string[],
    private readonly onFound: (found: DamagedRow) => void = () => {},
  ) {
    this.secrets = new Map(given.map((secret) => [secretId(secret), secret]));
  }

  /** @param name of the log: a seal of another log does not fit, whatever its secret */
  begin(name: string, decisions: Decisions = this.decisions): this {
    this.name = name;
    this.decisions = decisions;
    return this;
  }

  /** Of the log; undefined until it was looked at. */
  get log(): string | undefined {
    return this.name;
  }

  /** Ids of the secrets, the newest first. */
  get ids(): string[] {
    return [...this.secrets.keys()];
  }

  /** Damaged rows that were found and are not disowned; the first of them one by one. */
  get found(): { count: number; first: readonly DamagedRow[] } {
    return { count: this.remembered.size, first: this.listed };
  }

  /** The same of the streams whose names begin so. */
  countIn(prefix: string): number {
    return [...this.remembered.values()].filter((stream) => stream.startsWith(prefix)).length;
  }

  /** Decisions of operators to take the log as it stood, in their order. */
  get taken(): readonly LogSealed['data'][] {
    return this.decisions.taken;
  }

  /** True of a place up to which an operator has taken the log as it stood. */
  isTaken(position: bigint): boolean {
    return this.taken.some((one) => position <= BigInt(one.position));
  }

  isDisowned(position: bigint): boolean {
    return this.decisions.disowned.has(position);
  }

  /** The seal of an event that is about to be appended. @throws LogSecretMissing */
  seal(event: Sealable): string {
    const [id] = this.secrets.keys();
    if (id === undefined) throw new LogSecretMissing([]);
    return `${id}.${this.code(id, event).toString('base64url')}`;
  }

  /** Why a row is damage, as the end of a sentence that begins with it; undefined where it is an event. */
  faultOf(event: Sealable, seal: string | undefined): string | undefined {
    const parts = SEAL.exec(seal ?? '');
    if (parts === null) return 'has no seal: the service did not write it';
    const [, id, code] = parts;
    if (!this.secrets.has(id)) return `has a seal by a secret ${id}, which is not among the service's`;
    if (timingSafeEqual(Buffer.from(code, 'base64url'), this.code(id, event))) return undefined;
    return 'has a seal that does not fit: it was changed, or copied from another place or log';
  }

  /** Remembers a damaged row. */
  remember(found: DamagedRow): void {
    const { position, stream } = found;
    if (this.remembered.has(position) || this.remembered.size >= MAX_REMEMBERED || this.isDisowned(position)) return;
    this.remembered.set(position, stream);
    if (this.listed.length < MAX_LISTED) this.listed.push(found);
    this.onFound(found);
  }

  private code(id: string, event: Sealable): Buffer {
    if (this.name === undefined) throw new TypeError('a log is looked at before its rows are');
    const { before = '-', stream, revision, type, version, recordedAt, metadata, data } = event;
    // No name that is sealed holds a line feed, and no JSON that this program writes does.
    const text = `${FORM}\n${this.name}\n${before}\n${stream}\n${revision}\n${event.id}\n${type}\n${version}\n${recordedAt}\n${metadata ?? ''}\n${data}`;
    return createHmac('sha256', this.secrets.get(id) as string)
      .update(text)
      .digest();
  }
}

/** A log that is read by its seals. */
export interface SealedReader extends EventReader {
  readonly seals: LogSeals;
}

export interface SealedStore extends EventStore {
  readonly seals: LogSeals;
}
