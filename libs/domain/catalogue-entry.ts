import type { Static, TObject, TProperties } from 'typebox';
import { object } from './members.js';

export interface CatalogueEntry {
  /** The version that is written today. */
  version: number;
  stream: string;
  /** True if an event of these data stands in the right stream. */
  belongs(stream: string, data: never): boolean;
  when: string;
  /** Shape of that version's data. */
  schema: TObject;
}

/**
 * The place of events: the stream's name as docs/reference/events.md shows it, and a test for the stream of an event's
 * data.
 */
export interface StreamRule<Data> {
  name: string;
  is(stream: string, data: Data): boolean;
}

export const event = <Version extends number, P extends TProperties>(
  version: Version,
  { name, is }: StreamRule<Static<TObject<P>>>,
  when: string,
  members: P,
) => ({ version, stream: name, belongs: is, when, schema: object(members) });
