import type { ReadPosition } from '@eventstore/db-client';
import { isOwnStream } from '#domain/streams';
import {
  type EventFilter,
  type Metadata,
  type NewEvent,
  NO_EVENT,
  type RecordedEvent,
  UnreadableEvent,
  type Upcast,
  upcasted,
} from '../port.js';
import { type DamagedRow, type LogSeals, metadataText, type Sealable, sealedBy } from '../seal.js';
import type { NodeEvent } from './streams.js';

/** Events written through gRPC commit where they are prepared, so that one number gives the place. */
export const place = (after: bigint | undefined): ReadPosition =>
  after === undefined || after <= 0n ? 'start' : { commit: after, prepare: after };

export const positionOf = ({ position }: NodeEvent): bigint => position?.commit ?? 0n;

export const isSystem = ({ type, streamId }: NodeEvent): boolean => type.startsWith('$') || streamId.startsWith('$');

/** Settings of a stream that take events away from its readers. */
const CUTS = ['$tb', '$maxCount', '$maxAge'];

/**
 * An own stream that another writer deleted or cut: the server keeps that as events of its own, which the service never
 * writes, and which stay when what was deleted is gone from the disk.
 */
export function cutOf(event: NodeEvent): DamagedRow | undefined {
  const { type, streamId, data } = event;
  if (!type.startsWith('$')) return undefined;
  const isCut = type === '$metadata' && isObject(data) && CUTS.some((setting) => setting in data);
  const stream = isCut ? streamId.slice('$$'.length) : streamId;
  if (!(isCut || type === '$streamDeleted') || !isOwnStream(stream)) return undefined;
  const problem = `another hand deleted stream ${stream} or cut it`;
  // It stands at no revision of the stream.
  return { position: positionOf(event), stream, revision: -1n, type, problem };
}

export const passes = ({ streamPrefixes, types }: EventFilter, stream: string, type: string): boolean =>
  (!streamPrefixes || streamPrefixes.some((prefix) => stream.startsWith(prefix))) && (!types || types.includes(type));

/** True of the service's own that pass. An event that is left out need not be readable. */
export function filterOf(filter: EventFilter) {
  return (event: NodeEvent): boolean => !isSystem(event) && passes(filter, event.streamId, event.type);
}

/** The server's convention for tracing lives beside our schema version, time and seal in the event's metadata. */
export function toMetadata({ version, metadata = {} }: NewEvent, recordedAt: Date, seal?: string) {
  const { correlationId, causationId, ...rest } = metadata;
  return {
    ...rest,
    ...(correlationId === undefined ? {} : { $correlationId: correlationId }),
    ...(causationId === undefined ? {} : { $causationId: causationId }),
    schemaVersion: version,
    // The server stamps a time of its own, which is not sealed.
    recordedAt: recordedAt.toISOString(),
    ...(seal !== undefined && { seal }),
  };
}

/** How the server's events become the port's. */
export interface Reading {
  seals: LogSeals;
  upcast?: Upcast;
  /** Damaged rows stop every reading, and disowned ones are given as `NoEvent`: for one that looks through the log. */
  strict?: boolean;
}

/** The server's event unchanged, and what a seal covers of it. */
export function contentOf(event: NodeEvent) {
  const { id, type, streamId: stream, revision } = event;
  const { $correlationId, $causationId, schemaVersion, recordedAt, seal, ...rest } = (event.metadata ?? {}) as Record<
    string,
    unknown
  >;
  const metadata: Metadata = rest;
  if ($correlationId !== undefined) metadata.correlationId = $correlationId as string;
  if ($causationId !== undefined) metadata.causationId = $causationId as string;
  const time = typeof recordedAt === 'string' ? new Date(recordedAt) : event.created;
  const version = typeof schemaVersion === 'number' ? schemaVersion : 1;
  const sealable: Sealable = {
    ...{ stream, revision, id: id.toLowerCase(), type, version },
    recordedAt: time.getTime(),
    metadata: metadataText(metadata),
    // The bytes as this program wrote them; of another writer's it may be others that come to the same.
    data: event.isJson ? JSON.stringify(event.data) : '',
  };
  return { sealable, metadata, version, time, seal: typeof seal === 'string' ? seal : undefined };
}

/** Why a row is damage; undefined where it is an event, by its seal or as an operator has taken it. */
export function faultIn(event: NodeEvent, seals: LogSeals, content = contentOf(event)): string | undefined {
  const { sealable, seal } = content;
  const by = sealedBy(seal);
  const position = positionOf(event);
  const isTaken = seals.taken.some(
    (one) => position <= BigInt(one.position) && (by === undefined || one.secrets.includes(by)),
  );
  return isTaken ? undefined : seals.faultOf(sealable, seal);
}

/** @returns undefined where another application wrote it @throws UnreadableEvent */
export function toRecorded(event: NodeEvent, { seals, upcast }: Reading): RecordedEvent | undefined {
  const position = positionOf(event);
  const { id, type, streamId: stream, revision, created } = event;
  const content = contentOf(event);
  const { sealable, metadata, version, time, seal } = content;
  const place = { stream, revision, position };
  if (seals.isDisowned(position)) return { id, type: NO_EVENT, version: 1, data: {}, ...place, recordedAt: created };
  const unreadable = (reason: string) => new UnreadableEvent({ id, type, ...place, recordedAt: created }, reason);
  const problem = faultIn(event, seals, content);
  if (problem !== undefined) {
    if (!isOwnStream(stream)) return undefined;
    seals.remember({ ...place, type, problem });
    throw unreadable(problem);
  }
  // Data that are no JSON come from the client as text, or as bytes if they were not said to be JSON.
  if (!event.isJson || !isObject(event.data)) throw unreadable('its data is not a JSON object');
  if (Number.isNaN(time.getTime())) throw unreadable('its time is none');
  let versioned: ReturnType<typeof upcasted>;
  try {
    versioned = upcasted({ type, version, data: event.data }, upcast);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  const kept = { ...versioned, ...(sealable.metadata !== null && { metadata }) };
  return { id, ...kept, ...place, recordedAt: time, sealedBy: sealedBy(seal) };
}

/** The event of a row in the order of the log; undefined of what is passed over there. @throws UnreadableEvent */
export function passed(event: NodeEvent, how: Reading): RecordedEvent | undefined {
  if (how.strict) return toRecorded(event, how);
  if (how.seals.isDisowned(positionOf(event))) return undefined;
  try {
    return toRecorded(event, how);
  } catch (error) {
    if (faultIn(event, how.seals) === undefined) throw error;
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
