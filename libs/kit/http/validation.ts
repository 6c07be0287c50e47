/** Parameters and small bodies: made into instances of their classes here, checked by class-validator. */
import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { getMetadataStorage, validateSync } from 'class-validator';
import { isSoundText } from '#domain/schemas';
import { printableName } from '#science/spectra/refusal';
import { Problem, type ProblemCode } from './problem.js';

type Members = Record<string, unknown>;

const READ = Symbol('read');

/** Reads a member before it is checked, where it comes in another form than the handler takes. */
export const Read =
  (read: (value: unknown) => unknown): PropertyDecorator =>
  (target, name) =>
    Reflect.defineMetadata(READ, read, target, name);

/**
 * An instance of `type` out of what a client sent. A member that is null counts as left out: the default holds, and what
 * is required is missing. Only members that the class checks are ever looked into.
 * @throws Problem that names the first member at fault
 */
export function checked<T extends object>(type: Type<T>, given: unknown, code: ProblemCode): T {
  const members = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  const known = membersOf(type);
  const instance = new type();
  for (const [name, value] of Object.entries(members)) {
    if (value === null) continue;
    if (!known.has(name)) throw new Problem(code, `: property ${printableName(name)} should not exist`);
    if (typeof value === 'string' && !isSoundText(value)) throw new Problem(code, `: ${name} holds what is no text`);
    const read: ((value: unknown) => unknown) | undefined = Reflect.getMetadata(READ, type.prototype, name);
    (instance as Members)[name] = read ? read(value) : value;
  }
  const [fault] = validateSync(instance, { stopAtFirstError: true });
  if (!fault) return instance;
  const [why] = Object.values(fault.constraints ?? { shape: `${fault.property} is malformed` });
  throw new Problem(code, `: ${why}`);
}

const known = new WeakMap<Type, ReadonlySet<string>>();

/** Names of all members that a class checks. */
function membersOf(type: Type): ReadonlySet<string> {
  const held = known.get(type);
  if (held) return held;
  const checks = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(checks.map(({ propertyName }) => propertyName));
  known.set(type, names);
  return names;
}

/** A parameter holds one value. @throws Problem */
function refuseRepeated(query: unknown): void {
  for (const [name, value] of Object.entries(Object(query)))
    if (Array.isArray(value))
      throw new Problem('bad_request', `: ${printableName(name)} was sent ${value.length} times`);
}

/** Every query and body whose handler names a class for it; parts of a path are its handler's own. */
export class Validation implements PipeTransform {
  transform(given: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || metatype === Object || (type !== 'body' && type !== 'query')) return given;
    if (type === 'query') refuseRepeated(given);
    return checked(metatype as Type<object>, given, type === 'body' ? 'unprocessable' : 'bad_request');
  }
}
