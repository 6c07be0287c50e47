/** Finds the fault of a value under a schema, in words. A sound value costs no text. */
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import { NAME } from './schemas.js';

type Fault = ReturnType<Validator['Errors']>[1][number];

/** Compiled when first asked for: a process meets few types of events. */
const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** The fault of a value, as the end of a sentence that begins with its event; undefined if there is none. */
export function faultOf(schema: TSchema, value: unknown, path: string): string | undefined {
  const validator = validatorOf(schema);
  if (validator.Check(value)) return undefined;
  const [, faults] = validator.Errors(value);
  // If a member is too many, the schema `false` and the object that holds it complain; another fault says more.
  const fault = faults.find(({ keyword }) => keyword !== 'boolean' && keyword !== 'additionalProperties');
  return sentenceOf(fault ?? faults[0], value, path);
}

function sentenceOf(fault: Fault, value: unknown, path: string): string {
  const names = fault.instancePath.split('/').slice(1).map(unescaped);
  const at = (to = names.length) => [path, ...names.slice(0, to).map(shown)].join('.');
  const found = names.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)?.[name], value);
  if (fault.keyword === 'required') return `lacks ${at()}.${fault.params.requiredProperties[0]}`;
  const isName = fault.keyword === 'pattern' && fault.schemaPath.endsWith('/propertyNames');
  if (isName && fault.params.pattern === NAME) return `has a member of an impossible name at ${at(names.length - 1)}`;
  if (isName || fault.keyword === 'boolean') return `holds ${at()}, which is no member of it`;
  if (found === undefined) return `lacks ${at()}`;
  return `${complaintOf(fault, found)} ${at()}`;
}

const OF_TYPE: Record<string, string> = {
  string: 'has no text at',
  boolean: 'has neither true nor false at',
  array: 'has no list at',
  object: 'has no object at',
};

function complaintOf(fault: Fault, found: unknown): string {
  switch (fault.keyword) {
    case 'type':
      if (Number.isFinite(found) && !(String(fault.params.type) in OF_TYPE)) return `has the number ${found} at`;
      return OF_TYPE[String(fault.params.type)] ?? 'has no number at';
    case 'minimum':
    case 'maximum':
      return `has the number ${found} at`;
    case 'enum':
      return `has none of ${fault.params.allowedValues.join(', ')} at`;
    case 'maxLength':
      return `has a text of ${(found as string).length} characters at`;
    case 'minItems':
    case 'maxItems':
      return `has a list of ${(found as unknown[]).length} at`;
    case 'minProperties':
    case 'maxProperties':
      return `has ${Object.keys(found as object).length} members at`;
    default:
      return 'has another text than may be at';
  }
}

/** RFC 6901. */
const unescaped = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

const plain = new RegExp(NAME, 'u');
const shown = (name: string): string => (plain.test(name) ? name : JSON.stringify(name.slice(0, 64)));
