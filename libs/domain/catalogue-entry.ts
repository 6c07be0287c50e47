import type { Static, TObject, TProperties } from 'typebox';
import type { DomainEvent } from './decider.js';
import { object } from './schemas.js';

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

/** The rule of a stream that has one name. */
export const only = (name: string): StreamRule<unknown> => ({ name, is: (stream) => stream === name });

/** An event of these entries by its type, in the version that is written today. */
export type EventIn<
  Entries extends Record<string, CatalogueEntry>,
  Type extends keyof Entries,
> = Type extends keyof Entries & string
  ? DomainEvent<Type, Entries[Type]['version'], Static<Entries[Type]['schema']>>
  : never;
