/** Parameters and small bodies, checked by class-validator. */
import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isSoundText } from '#domain';
import { Problem, type ProblemCode } from './problem.js';

/** An instance of `type` out of what a client sent; a member that is null counts as left out. @throws Problem that names the first member at fault */
export function checked<T extends object>(type: new () => T, given: unknown, code: ProblemCode): T {
  const plain = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  const instance = plainToInstance(type, withoutNulls(plain), { exposeDefaultValues: true });
  for (const [name, value] of Object.entries(instance))
    if (typeof value === 'string' && !isSoundText(value)) throw new Problem(code, `: ${name} holds what is no text`);
  const [fault] = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
  if (!fault) return instance;
  const [why] = Object.values(fault.constraints ?? { shape: `${fault.property} is malformed` });
  throw new Problem(code, `: ${why}`);
}

/** Null is as good as left out: the default holds, and what is required is missing. */
const withoutNulls = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** Every query and body whose handler names a class for it; parts of a path are its handler's own. */
export class Validation implements PipeTransform {
  transform(given: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || metatype === Object || (type !== 'body' && type !== 'query')) return given;
    return checked(metatype as Type<object>, given, type === 'body' ? 'unprocessable' : 'bad_request');
  }
}
