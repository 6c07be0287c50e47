/** What may go into the log: an event whose own views and upcasters would refuse it is refused at the append. */
import { entryOf } from './catalogue.js';
import { faultOf } from './guard.js';
import { streamPrefixes } from './streams.js';
import { upcast, type VersionedData } from './upcast.js';

/**
 * What is wrong with an event that is to be appended, as the end of a sentence that begins with it; undefined where
 * nothing is. It must be of a known type in its newest version, in a stream of that type, with exactly its members.
 */
export function admissionFault(stream: string, { type, version, data }: VersionedData): string | undefined {
  const entry = entryOf(type);
  if (!entry) return 'is of an unknown type';
  if (version !== entry.version) return `is of version ${version}, not ${entry.version}`;
  return faultOf(entry.schema, data, 'data') ?? strayFault(stream, { type, data });
}

/**
 * What is wrong with the place of an event whose members are those of its type, in whatever version: it has to stand in the
 * stream that its data name.
 */
export function strayFault(stream: string, { type, data }: Omit<VersionedData, 'version'>): string | undefined {
  const entry = entryOf(type);
  return !entry || entry.belongs(stream, data as never) ? undefined : `belongs into a stream ${entry.stream}`;
}

/** The same of an event as it stands in a log, in whatever version and stream. */
export function recordedFault(event: VersionedData): string | undefined {
  let lifted: VersionedData;
  try {
    lifted = upcast(event);
  } catch (error) {
    return `cannot be lifted to its newest version: ${(error as Error).message}`;
  }
  const { type, version, data } = lifted;
  const entry = entryOf(type);
  if (!entry) return `is of the unknown type ${type}`;
  if (version !== entry.version) return `is of version ${version}, which is unknown`;
  return faultOf(entry.schema, data, 'data');
}

/**
 * Whether a log's event is passed over by all readers, because it stands in the stream of another. Calibration streams are
 * judged as a whole (`obey`): there it is a link of the chain all the same.
 */
export const isStray = ({ stream, type, data }: Omit<VersionedData, 'version'> & { stream: string }): boolean =>
  !stream.startsWith(streamPrefixes.calibration) && strayFault(stream, { type, data }) !== undefined;
