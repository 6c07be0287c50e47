/** Answers as TypeBox schemas: how the contract shows them. One with an `$id` stands there under that name. */
import type { TSchema } from 'typebox';
import { ref } from './swagger.js';

/** As much of JSON schema as answers use. */
export interface Shown {
  $id?: string;
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: readonly unknown[];
  anyOf?: Shown[];
  items?: Shown;
  properties?: Record<string, Shown>;
  [keyword: string]: unknown;
}

const components: Record<string, Shown> = {};

/** All that answers name so far. */
export const namedSchemas = (): Readonly<Record<string, object>> => components;

/** A schema where the contract uses it: its name, where it has one, and the schema under that name. */
export const shownSchema = (schema: TSchema): Shown => shown(schema as Shown);

function shown({ $id, description, ...schema }: Shown): Shown {
  const said = description === undefined ? {} : { description };
  if ($id === undefined) return { ...said, ...whole(schema) };
  components[$id] ??= whole(schema);
  // Generators make a second type of a name with a description beside it.
  return description === undefined ? ref($id) : { ...said, allOf: [ref($id)] };
}

function whole({ anyOf, items, properties, ...schema }: Shown): Shown {
  if (anyOf) return orNull(anyOf);
  if (schema.enum) return { type: typeof schema.enum[0], ...schema };
  return {
    ...schema,
    ...(items && { items: shown(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, shown(of)])),
    }),
  };
}

/** A member that may be null says so by its type, for generators that make a union of every `anyOf`. */
function orNull([of, ...others]: Shown[]): Shown {
  if (others.length !== 1 || others[0].type !== 'null')
    throw new TypeError('an answer is a union with null or with nothing');
  const schema = shown(of);
  if (schema.$ref || schema.allOf) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema.type as string, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) };
}
