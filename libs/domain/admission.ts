/** What may go into the log: an event whose own views and upcasters would refuse it is refused at the append. */
import { entryOf } from './catalogue.js';
import { faultOf } from './schema.js';
import { upcast, type VersionedData } from './upcast.js';

/**
 * What is wrong with an event that is to be appended, as the end of a sentence that begins with it; undefined where
 * nothing is. It must be of a known type in its newest version, in a stream of that type, with exactly its members.
 */
export function admissionFault(stream: string, { type, version, data }: VersionedData): string | undefined {
  const entry = entryOf(type);
  if (!entry) return 'is of an unknown type';
  if (version !== entry.version) return `is of version ${version}, not ${entry.version}`;
  const fault = faultOf(entry.schema, data, 'data');
  if (fault) return fault;
  return entry.belongs(stream, data as never) ? undefined : `belongs into a stream ${entry.stream}`;
}

/** The same of an event as it stands in a log, in whatever version and stream. @throws where a step of its upcast does */
export function recordedFault(event: VersionedData): string | undefined {
  const { type, version, data } = upcast(event);
  const entry = entryOf(type);
  if (!entry) return `is of the unknown type ${type}`;
  if (version !== entry.version) return `is of version ${version}, which is unknown`;
  return faultOf(entry.schema, data, 'data');
}
