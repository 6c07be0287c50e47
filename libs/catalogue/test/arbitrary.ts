/** Events as their schemas allow them, and as they do not. */
import fc from 'fast-check';
import { catalogue, type EventType } from '../catalogue.js';

export type { EventType };
export type Data = Record<string, unknown>;

export const EVENT_TYPES = Object.keys(catalogue) as EventType[];

/** Vectors of claims and of lots. */
const VECTORS = [1024, 384].map((bytes) => Buffer.alloc(bytes).toString('base64'));
const LETTERS = ['a', 'Z', '0', '.', '-', ' ', 'é', '石', '💎', '"', "'", '\\', '%', '_'];

/** As much of JSON schema as the catalogue uses. */
interface Schema {
  type?: string;
  enum?: readonly unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  pattern?: string;
  '~refine'?: readonly { check(value: string): boolean }[];
}

/** To make what makes texts and data takes longer than they do: kept by pattern and by type. */
const matching = new Map<string, fc.Arbitrary<string>>();
const known = new Map<EventType, fc.Arbitrary<Data>>();

function textsOf(pattern: string): fc.Arbitrary<string> {
  const texts = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'));
  matching.set(pattern, texts);
  return texts;
}

function texts({ maxLength = 0, pattern = '', '~refine': refined }: Schema): fc.Arbitrary<string> {
  if (refined) return fc.constant(VECTORS.find((vector) => refined.every(({ check }) => check(vector))) as string);
  if (!/\\[pP]/.test(pattern)) return textsOf(pattern).filter((text) => text.length <= maxLength);
  const min = pattern.endsWith('+$') ? 1 : 0;
  return fc.string({ unit: fc.constantFrom(...LETTERS), minLength: min, maxLength: Math.min(12, maxLength) / 2 });
}

function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  switch (schema.type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum, max: Math.min(schema.maximum!, 2 ** 31) });
    case 'number':
      return fc.double({ min: schema.minimum, max: schema.maximum, noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(schema.items!), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems!, 3),
      });
    case 'object': {
      const { properties, required, additionalProperties } = schema;
      if (!properties)
        return fc.dictionary(textsOf('^[a-z_]{1,8}$'), valuesOf(additionalProperties!), {
          minKeys: 1,
          maxKeys: 3,
        });
      const arbitraries = Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, valuesOf(of)]));
      return fc.record(arbitraries, { requiredKeys: required ?? [] });
    }
    default:
      throw new TypeError(`no values of ${JSON.stringify(schema)}`);
  }
}

/** Data of a type, as its newest version allows it. */
export function dataOf(type: EventType): fc.Arbitrary<Data> {
  const data = known.get(type) ?? (valuesOf(catalogue[type].schema as Schema) as fc.Arbitrary<Data>);
  known.set(type, data);
  return data;
}

/** One such, always the same. */
export const sampleOf = (type: EventType): Data => fc.sample(dataOf(type), { numRuns: 1, seed: 7 })[0];

/** Values that clients and faults of the program put where something else belongs. */
const STRANGE: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'undefined',
  '\ud800',
  'a\0b',
  'x'.repeat(1 << 20),
  [],
  [null],
  {},
  { toString: null },
  new Date(0),
];

/** The data with one member, at any depth, of another value, gone, or one too many. */
export function spoiled(data: Data): fc.Arbitrary<Data> {
  const paths: string[][] = [[]];
  const walk = (value: unknown, path: string[]) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      paths.push([...path, name]);
      walk(inner, [...path, name]);
    }
  };
  walk(data, []);
  return fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...STRANGE), fc.boolean()).map(([path, value, more]) => {
    const copy = structuredClone(data);
    let at = copy as Record<string, unknown>;
    for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
    const last = path.at(-1);
    const inner = last === undefined ? copy : (at[last] as Data);
    if (more && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) inner.event = value;
    else if (last !== undefined) at[last] = value;
    return copy;
  });
}
