import { type AnySchema, type Member, type Members, shape } from './schema.js';

export interface CatalogueEntry {
  /** The version that is written today. */
  version: number;
  stream: string;
  /** Whether an event of these data stands in the right stream. */
  belongs(stream: string, data: never): boolean;
  when: string;
  members: Readonly<Record<string, Member>>;
  /** Of the data of that version. */
  schema: AnySchema;
}

/** Where events stand: the stream's name as docs/events.md shows it, and whether one is that of an event's data. */
export interface Home<Data> {
  name: string;
  is(stream: string, data: Data): boolean;
}

export const event = <E extends { version: number; data: unknown }>(
  version: E['version'],
  { name, is }: Home<E['data']>,
  when: string,
  members: Members<E['data']>,
): CatalogueEntry & { version: E['version'] } => ({
  version,
  stream: name,
  belongs: is,
  when,
  members: members as Readonly<Record<string, Member>>,
  schema: shape(members),
});
