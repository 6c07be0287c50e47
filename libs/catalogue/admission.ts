/** Guards the log: an event that its own views and upcasters would refuse is refused at the append. */

import { faultOf } from '#domain/guard';
import { entryOf } from './catalogue.js';
import { upcast, type VersionedData } from './upcast.js';

/**
 * The fault of an event that is to be appended, as the end of a sentence that begins with it; undefined if there is none.
 * It must be of a known type in its newest version, in a stream of that type, with exactly its members.
 */
export function admissionFault(stream: string, { type, version, data }: VersionedData): string | undefined {
  const entry = entryOf(type);
  if (!entry) return 'is of an unknown type';
  if (version !== entry.version) return `is of version ${version}, not ${entry.version}`;
  return faultOf(entry.schema, data, 'data') ?? strayFault(stream, { type, data });
}

/**
 * The fault of an event's place, whatever its version, as the end of a sentence that begins with it; undefined if there is
 * none. It has to stand in the stream that its data name.
 */
export function strayFault(stream: string, { type, data }: Omit<VersionedData, 'version'>): string | undefined {
  const entry = entryOf(type);
  return !entry || entry.belongs(stream, data as never) ? undefined : `belongs into a stream ${entry.stream}`;
}

/** The same of an event as it is stored in a log, in whatever version and stream. */
export function recordedFault(event: VersionedData): string | undefined {
  let upcasted: VersionedData;
  try {
    upcasted = upcast(event);
  } catch (error) {
    return `cannot be lifted to its newest version: ${(error as Error).message}`;
  }
  const { type, version, data } = upcasted;
  const entry = entryOf(type);
  if (!entry) return `is of the unknown type ${type}`;
  if (version !== entry.version) return `is of version ${version}, which is unknown`;
  return faultOf(entry.schema, data, 'data');
}

/**
 * True for an event that all readers skip, because it stands in another event's stream: in logs of before there were
 * seals.
 */
export const isInWrongStream = ({ stream, type, data }: Omit<VersionedData, 'version'> & { stream: string }): boolean =>
  strayFault(stream, { type, data }) !== undefined;
