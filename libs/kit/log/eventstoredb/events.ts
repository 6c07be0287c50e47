import type { AllStreamRecordedEvent, AllStreamResolvedEvent, ReadPosition } from '@eventstore/db-client';
import {
  type EventFilter,
  lifted,
  type Metadata,
  type NewEvent,
  type RecordedEvent,
  UnreadableEvent,
  type Upcast,
} from '../port.js';

/** Events written through gRPC commit where they are prepared, so that one number gives the place. */
export const place = (after: bigint | undefined): ReadPosition =>
  after === undefined || after === 0n ? 'start' : { commit: after, prepare: after };

export const positionOf = (resolved: AllStreamResolvedEvent): bigint =>
  resolved.event?.position?.commit ?? resolved.commitPosition ?? 0n;

export const isSystem = ({ event }: AllStreamResolvedEvent): boolean =>
  !event || event.type.startsWith('$') || event.streamId.startsWith('$');

/** The event, if it is one of the service's own and passes. An event that is left out need not be readable. */
export function filterOf({ streamPrefixes, types }: EventFilter) {
  return (resolved: AllStreamResolvedEvent): AllStreamRecordedEvent | undefined => {
    const { event } = resolved;
    if (!event || isSystem(resolved)) return undefined;
    const passes =
      (!streamPrefixes || streamPrefixes.some((prefix) => event.streamId.startsWith(prefix))) &&
      (!types || types.includes(event.type));
    return passes ? event : undefined;
  };
}

/** The server's convention for tracing lives beside our schema version in the event's metadata; so does the time of a copied
 * event, since the server stamps its own. */
export function toMetadata({ version, metadata = {}, recordedAt }: NewEvent): Record<string, unknown> {
  const { correlationId, causationId, ...rest } = metadata;
  return {
    ...rest,
    ...(correlationId === undefined ? {} : { $correlationId: correlationId }),
    ...(causationId === undefined ? {} : { $causationId: causationId }),
    schemaVersion: version,
    ...(recordedAt && { recordedAt: recordedAt.toISOString() }),
  };
}

/** @throws UnreadableEvent */
export function toRecorded(event: AllStreamRecordedEvent, upcast: Upcast | undefined): RecordedEvent {
  const position = event.position?.commit ?? 0n;
  const { $correlationId, $causationId, schemaVersion, recordedAt, ...rest } = (event.metadata ?? {}) as Record<
    string,
    unknown
  >;
  const metadata: Metadata = rest;
  if ($correlationId !== undefined) metadata.correlationId = $correlationId as string;
  if ($causationId !== undefined) metadata.causationId = $causationId as string;
  const bare = Object.keys(metadata).length === 0;
  const { id, type, streamId: stream, revision, created } = event;
  const unreadable = (reason: string) =>
    new UnreadableEvent({ id, type, stream, revision, position, recordedAt: created }, reason);
  // Data that are no JSON come from the client as text, or as bytes if they were not said to be JSON.
  if (!event.isJson || typeof event.data !== 'object' || event.data === null || Array.isArray(event.data))
    throw unreadable('its data is not a JSON object');
  const stored = {
    type: event.type,
    version: typeof schemaVersion === 'number' ? schemaVersion : 1,
    data: event.data as Record<string, unknown>,
  };
  const first = typeof recordedAt === 'string' ? new Date(recordedAt) : event.created;
  if (Number.isNaN(first.getTime())) throw unreadable('its time is none');
  let versioned: ReturnType<typeof lifted>;
  try {
    versioned = lifted(stored, upcast);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  return {
    id: event.id,
    ...versioned,
    ...(bare ? {} : { metadata }),
    stream: event.streamId,
    revision: event.revision,
    position,
    recordedAt: first,
  };
}
