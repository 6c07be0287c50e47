/** Events as their schemas allow them, and as they do not. */
import fc from 'fast-check';
import { catalogue, type DomainEvent } from '../catalogue.js';
import type { AnySchema } from '../schema.js';

export type EventType = DomainEvent['type'];
type Rule = AnySchema['rule'];
export type Data = Record<string, unknown>;

export const EVENT_TYPES = Object.keys(catalogue) as EventType[];

/** Vectors of claims and of lots. */
const VECTORS = [1024, 384].map((bytes) => Buffer.alloc(bytes).toString('base64'));
const LETTERS = ['a', 'Z', '0', '.', '-', ' ', 'é', '石', '💎', '"', "'", '\\', '%', '_'];

function texts({ longest, is }: Extract<Rule, { kind: 'text' }>): fc.Arbitrary<string> {
  if (typeof is === 'function') return fc.constant(VECTORS.find(is) as string);
  if (is && !is.unicode) return fc.stringMatching(is).filter((text) => text.length <= longest);
  const min = is ? 1 : 0;
  return fc.string({ unit: fc.constantFrom(...LETTERS), minLength: min, maxLength: Math.min(12, longest) / 2 });
}

function valuesOf(rule: Rule): fc.Arbitrary<unknown> {
  switch (rule.kind) {
    case 'text':
      return texts(rule);
    case 'number':
      return rule.whole
        ? fc.integer({ min: rule.min, max: Math.min(rule.max, 2 ** 31) })
        : fc.double({ min: rule.min, max: rule.max, noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'one':
      return fc.constantFrom(...rule.of);
    case 'list':
      return fc.array(valuesOf(rule.of), { minLength: rule.min, maxLength: Math.min(rule.max, 3) });
    case 'map':
      return fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), valuesOf(rule.of), { minKeys: 1, maxKeys: 3 });
    case 'shape': {
      const members = [...rule.members];
      const required = members.filter(([, { optional }]) => !optional).map(([name]) => name);
      const arbitraries = Object.fromEntries(members.map(([name, member]) => [name, valuesOf(member.rule)]));
      return fc.record(arbitraries, { requiredKeys: required });
    }
    case 'either':
      return fc.oneof(...rule.of.map(valuesOf));
    case 'or_null':
      return fc.option(valuesOf(rule.of), { nil: null });
  }
}

/** Data of a type, as its newest version allows it. */
export const dataOf = (type: EventType): fc.Arbitrary<Data> =>
  valuesOf(catalogue[type].schema.rule) as fc.Arbitrary<Data>;

/** One such, always the same. */
export const sampleOf = (type: EventType): Data => fc.sample(dataOf(type), { numRuns: 1, seed: 7 })[0];

/** What clients and faults of the program put where something else belongs. */
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
