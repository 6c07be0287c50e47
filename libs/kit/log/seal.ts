/**
 * The seal of an event: a message authentication code by a secret that is not in the log. An event without one that fits is
 * no event for anybody: `LogSeals.faultOf` decides that, where a store's row becomes an event and nowhere else.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isOwnStream } from '#domain/streams';
import type { LogSealed } from '#kit/log/events-sealed';
import { type EventReader, type EventStore, LogSecretMissing, type Metadata } from './port.js';
import { sha256Hex } from './secrets.js';

const FORM = 'mvs-seal/1';
/** One text for each code: the last of 43 letters bears four bits. */
const SEAL = /^([0-9a-f]{8})[.]([0-9]{1,20})[.]([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;
/** Events that are remembered one by one; beyond it they are counted no more. */
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
  /** As `metadataText` gives it, without the seal. */
  metadata: string | null;
  data: string;
}

/** Place of a row in the log. */
export interface RowPlace {
  position: bigint;
  stream: string;
  revision: bigint;
  type: string;
}

/** A row that is no event. */
export interface Unsealed extends RowPlace {
  problem: string;
}

/** What is taken without a seal. */
export interface Boundary {
  /** Position after which every event needs a seal; 0n in a log that had seals from its beginning. */
  unsealedTo: bigint;
  /** Decisions of operators, in their order. */
  taken: readonly LogSealed['data'][];
}

/** What a log shows at its opening. */
export interface Beginning extends Pick<Boundary, 'taken'> {
  /** Where sealing began, by the newest row with a seal that fits. */
  newest: bigint | undefined;
  /** Other secrets by which rows look sealed, the newest row's first: by its id where sealing began, as that row says. */
  others: ReadonlyMap<string, bigint>;
  /** Position of the last row of the service's own. */
  head: bigint;
}

/** What a seal says of itself, be it right or wrong. */
export interface Claim {
  /** Of its secret. */
  id: string;
  /** Where sealing began. */
  began: bigint;
}

/** Undefined where it is no seal. */
export function claimOf(seal: string | undefined): Claim | undefined {
  const found = SEAL.exec(seal ?? '');
  return found ? { id: found[1], began: BigInt(found[2]) } : undefined;
}

/** The id under which a seal names its secret: 8 hex digits. */
export const secretId = (secret: string): string => sha256Hex(`mvs-log-secret-id\n${secret}`).slice(0, 8);

/** Metadata in one order, as text; null where there are none. */
export function metadataText(metadata: Metadata | undefined): string | null {
  const kept = Object.entries(metadata ?? {}).filter(([, value]) => value !== undefined);
  if (kept.length === 0) return null;
  return JSON.stringify(kept.length === 1 ? metadata : Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The metadata with the seal as their last member. */
export const withSeal = (metadata: string | null, seal: string): string =>
  metadata === null ? `{"seal":"${seal}"}` : `${metadata.slice(0, -1)},"seal":"${seal}"}`;

const LAST_MEMBER = /[{,]"seal":"([^"\\]*)"\}$/;

/** The reverse of `withSeal`, by the bytes. */
export function withoutSeal(metadata: string | null): { metadata: string | null; seal?: string } {
  const found = metadata === null ? null : LAST_MEMBER.exec(metadata);
  if (metadata === null || found === null) return { metadata };
  return { metadata: found.index === 0 ? null : `${metadata.slice(0, found.index)}}`, seal: found[1] };
}

export interface LogSealsOptions {
  /** Told once of each row that is no event. */
  onFound?(found: Unsealed): void;
  /** Where it is known already. */
  boundary?: Boundary;
  /** Rows are shown as they stand: secrets that are not here are named in place of an error. */
  lenient?: boolean;
}

/** The secrets of a log, and what is known of the log's rows by them. */
export class LogSeals {
  /** By id, the newest first. */
  private readonly secrets: ReadonlyMap<string, string>;
  private boundary: Boundary | undefined;
  /** Ids of the secrets that sealed the log, where none of them is here. */
  missing: readonly string[] = [];
  /** Streams of rows that are no events, by position. */
  private readonly remembered = new Map<bigint, string>();
  private readonly listed: Unsealed[] = [];

  /** @param given the newest first; none: nothing is appended, and what has a seal cannot be read */
  constructor(
    readonly given: readonly string[],
    private readonly options: LogSealsOptions = {},
  ) {
    this.secrets = new Map(given.map((secret) => [secretId(secret), secret]));
    this.boundary = options.boundary;
  }

  /** Ids of the secrets, the newest first. */
  get ids(): string[] {
    return [...this.secrets.keys()];
  }

  /**
   * Rows of the service's own streams that were found to be no events since an operator last took the log as it was; the
   * first of them one by one.
   */
  get found(): { count: number; first: readonly Unsealed[] } {
    return { count: this.remembered.size, first: this.listed };
  }

  /** The same of the streams whose names begin so. */
  countIn(prefix: string): number {
    return [...this.remembered.values()].filter((stream) => stream.startsWith(prefix)).length;
  }

  /** Undefined until the log was looked at. */
  get known(): Boundary | undefined {
    return this.boundary;
  }

  /**
   * Settles what is taken without a seal, at the opening of a log.
   * @throws LogSecretMissing where the log is sealed by secrets that are not here
   */
  begin({ taken, newest, others, head }: Beginning): void {
    const last = taken.at(-1);
    const ids = [...others.keys()];
    if (!last && newest === undefined && ids.length > 0) {
      if (!this.options.lenient) throw new LogSecretMissing(ids);
      this.missing = ids;
    }
    const unsealedTo = last ? BigInt(last.unsealed_to) : (newest ?? others.get(ids[0]) ?? head);
    this.boundary = { taken, unsealedTo };
  }

  /** An operator's decision, from here on. */
  take(decision: LogSealed['data']): void {
    this.boundary = { taken: [...this.settled().taken, decision], unsealedTo: BigInt(decision.unsealed_to) };
  }

  /** False while events of before there were seals are served, which no operator has taken as they are. */
  get isSealed(): boolean {
    if (!this.boundary) return true;
    const { taken, unsealedTo } = this.boundary;
    return unsealedTo === 0n || taken.some(({ position }) => BigInt(position) >= unsealedTo);
  }

  /** True of a place up to which an operator has taken the log as it stood: what is no event there is known. */
  isKnown(position: bigint): boolean {
    return this.boundary?.taken.some((one) => position <= BigInt(one.position)) ?? false;
  }

  /** The seal of an event that is about to be appended. @throws LogSecretMissing */
  seal(event: Sealable): string {
    const [id] = this.secrets.keys();
    if (id === undefined) throw new LogSecretMissing([]);
    const began = String(this.settled().unsealedTo);
    return `${id}.${began}.${this.code(id, began, event).toString('base64url')}`;
  }

  /** Whether a row carries a seal by a secret that is here, be it right or wrong. */
  names(seal: string | undefined): boolean {
    return this.secrets.has(claimOf(seal)?.id ?? '');
  }

  /** Where sealing began, as a seal that fits says it; undefined where it does not fit. */
  beganBy(seal: string, event: Sealable): bigint | undefined {
    const parts = SEAL.exec(seal);
    return parts !== null && this.fits(parts, event) ? BigInt(parts[2]) : undefined;
  }

  private fits([, id, began, code]: RegExpExecArray, event: Sealable): boolean {
    return this.secrets.has(id) && timingSafeEqual(Buffer.from(code, 'base64url'), this.code(id, began, event));
  }

  /** Why a row is no event, as the end of a sentence that begins with it; undefined where it is one. */
  faultOf(position: bigint, event: Sealable, seal: string | undefined): string | undefined {
    const { unsealedTo, taken } = this.settled();
    const parts = seal === undefined ? null : SEAL.exec(seal);
    if (parts === null) {
      if (seal === undefined && position > 0n && position <= unsealedTo) return undefined;
      return 'has no seal: the service did not write it';
    }
    const [, id] = parts;
    if (!this.secrets.has(id)) {
      if (taken.some((one) => one.secrets.includes(id) && position <= BigInt(one.position))) return undefined;
      return `has a seal by a secret ${id}, which is not among the service's`;
    }
    if (this.fits(parts, event)) return undefined;
    return 'has a seal that does not fit: it was changed, or copied from another place';
  }

  /** Remembers a row that is no event; other applications' rows are none of the service's business. */
  remember(found: Unsealed): void {
    const { position, stream } = found;
    if (this.remembered.has(position) || this.remembered.size >= MAX_REMEMBERED) return;
    if (!isOwnStream(stream) || this.isKnown(position)) return;
    this.remembered.set(position, stream);
    if (this.listed.length < MAX_LISTED) this.listed.push(found);
    this.options.onFound?.(found);
  }

  private code(id: string, began: string, event: Sealable): Buffer {
    const { stream, revision, type, version, recordedAt, metadata, data } = event;
    // No name that is sealed holds a line feed, and no JSON that this program writes does.
    const text = `${FORM}\n${began}\n${stream}\n${revision}\n${event.id}\n${type}\n${version}\n${recordedAt}\n${metadata ?? ''}\n${data}`;
    return createHmac('sha256', this.secrets.get(id) as string)
      .update(text)
      .digest();
  }

  private settled(): Boundary {
    if (!this.boundary) throw new TypeError('a log is looked at before its rows are');
    return this.boundary;
  }
}

/** A log that is read by its seals. */
export interface SealedReader extends EventReader {
  readonly seals: LogSeals;
}

export interface SealedStore extends EventStore {
  readonly seals: LogSeals;
}
