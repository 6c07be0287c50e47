/** Parameters and small bodies, checked by class-validator. */
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { type BodyBudget, type Exchange, readJson } from './body.js';
import { Problem, type ProblemCode } from './problem.js';

/** An instance of `type` out of what a client sent. @throws Problem that names the first member at fault */
export function checked<T extends object>(type: new () => T, given: unknown, code: ProblemCode): T {
  const plain = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
  const instance = plainToInstance(type, plain, { exposeDefaultValues: true });
  const [fault] = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
  if (!fault) return instance;
  const [why] = Object.values(fault.constraints ?? { shape: `${fault.property} is malformed` });
  throw new Problem(code, `: ${why}`);
}

const MAX_SMALL_BODY_BYTES = 64 * 1024;

/** A small JSON body, checked. @throws Problem */
export async function readChecked<T extends object>(
  type: new () => T,
  both: Exchange,
  timeoutMs: number,
  budget: BodyBudget,
): Promise<T> {
  return checked(type, await readJson(both, { maxBytes: MAX_SMALL_BODY_BYTES, timeoutMs }, budget), 'unprocessable');
}
