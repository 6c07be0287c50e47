/**
 * The language in which the data of events are described, exactly: a member that no schema names is a fault, and so is
 * null where nothing says that it may be.
 */

type Rule =
  | { kind: 'text'; longest: number; is?: RegExp | ((value: string) => boolean) }
  | { kind: 'number'; min: number; max: number; whole: boolean }
  | { kind: 'boolean' }
  | { kind: 'one'; of: readonly (string | number | boolean)[] }
  | { kind: 'list'; of: Rule; min: number; max: number }
  | { kind: 'map'; of: Rule; min: number }
  | { kind: 'shape'; members: ReadonlyMap<string, { rule: Rule; optional: boolean }> }
  | { kind: 'or_null'; of: Rule }
  | { kind: 'either'; of: readonly Rule[] };

export interface AnySchema {
  readonly rule: Rule;
  /** The member may be left out. */
  readonly optional?: boolean;
}
/** What a value of type T has to be. The compiler holds it to the type; `of` exists for it alone. */
export interface Schema<T> extends AnySchema {
  readonly of?: (value: T) => T;
}
export interface OptionalSchema<T> extends Schema<T> {
  readonly optional: true;
}

/** A member with what it means, for docs/events.md. */
export type Member<S = AnySchema> = readonly [schema: S, meaning: string];
/** Every member of a type: the compiler refuses one left out or one too many. */
export type Members<T> = {
  readonly [M in keyof T]-?: Member<Pick<T, M> extends Required<Pick<T, M>> ? Schema<T[M]> : OptionalSchema<T[M]>>;
};

/** Names in a map: of encoders, of stages. */
const MAX_NAMES = 64;
const NAME = /^[\w.-]{1,64}$/;

/** Text. @param longest in UTF-16 code units @param is what it has to be; any that every store gives back, if left out */
export const text = (longest: number, is?: RegExp | ((value: string) => boolean)): Schema<string> => ({
  rule: { kind: 'text', longest, is },
});
export const number = (min = -Number.MAX_VALUE, max = Number.MAX_VALUE): Schema<number> => ({
  rule: { kind: 'number', min, max, whole: false },
});
export const count: Schema<number> = { rule: { kind: 'number', min: 0, max: Number.MAX_SAFE_INTEGER, whole: true } };
export const yesOrNo: Schema<boolean> = { rule: { kind: 'boolean' } };
export const one = <const V extends string | number | boolean>(...of: V[]): Schema<V> => ({
  rule: { kind: 'one', of },
});
export const list = <T>(of: Schema<T>, max: number): Schema<T[]> => ({
  rule: { kind: 'list', of: of.rule, min: 0, max },
});
export const pair = <T>(of: Schema<T>): Schema<[T, T]> => ({
  rule: { kind: 'list', of: of.rule, min: 2, max: 2 },
});
export const map = <T>(of: Schema<T>, min = 0): Schema<Record<string, T>> => ({
  rule: { kind: 'map', of: of.rule, min },
});
export const orNull = <T>(of: Schema<T>): Schema<T | null> => ({ rule: { kind: 'or_null', of: of.rule } });
/** One or the other. */
export const either = <A, B>(a: Schema<A>, b: Schema<B>): Schema<A | B> => ({
  rule: { kind: 'either', of: [a.rule, b.rule] },
});
export const optional = <T>({ rule }: Schema<T>): OptionalSchema<T | undefined> => ({ rule, optional: true });

export function shape<T>(members: Members<T>): Schema<T> {
  const rules = Object.entries<Member>(members).map(
    ([name, [{ rule, optional = false }]]) => [name, { rule, optional }] as const,
  );
  return { rule: { kind: 'shape', members: new Map(rules) } };
}

/** The same members, each of which may be left out. */
export function part<T>({ rule }: Schema<T>): Schema<Partial<T>> {
  if (rule.kind !== 'shape') throw new TypeError(`a ${rule.kind} has no members`);
  const members = [...rule.members].map(([name, member]) => [name, { ...member, optional: true }] as const);
  return { rule: { kind: 'shape', members: new Map(members) } };
}

/** What is wrong, and where below the value that was looked at: a sound value costs no text. */
interface Fault {
  says: string;
  /** As `.member.0` */
  below: string;
  after?: string;
}

const saying = (says: string, below = '', after?: string): Fault => ({ says, below, after });
const within = (name: string | number, found: Fault): Fault => ({ ...found, below: `.${name}${found.below}` });

/** What is wrong with a value, as the end of a sentence that begins with its event; undefined where nothing is. */
export function faultOf(schema: AnySchema, value: unknown, path: string): string | undefined {
  const found = fault(schema.rule, value);
  return found && `${found.says} ${path}${found.below}${found.after ?? ''}`;
}

function fault(rule: Rule, value: unknown): Fault | undefined {
  switch (rule.kind) {
    case 'text':
      if (typeof value !== 'string') return saying('has no text at');
      if (value.length > rule.longest) return saying(`has a text of ${value.length} characters at`);
      return isText(value, rule.is) ? undefined : saying('has another text than may be at');
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return saying('has no number at');
      if (value < rule.min || value > rule.max || (rule.whole && !Number.isInteger(value)))
        return saying(`has the number ${value} at`);
      return undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : saying('has neither true nor false at');
    case 'one':
      return rule.of.includes(value as string) ? undefined : saying(`has none of ${rule.of.join(', ')} at`);
    case 'list': {
      if (!Array.isArray(value)) return saying('has no list at');
      if (value.length < rule.min || value.length > rule.max) return saying(`has a list of ${value.length} at`);
      for (let i = 0; i < value.length; i++) {
        const found = fault(rule.of, value[i]);
        if (found) return within(i, found);
      }
      return undefined;
    }
    case 'map': {
      if (!isPlain(value)) return saying('has no object at');
      const names = Object.keys(value);
      if (names.length < rule.min || names.length > MAX_NAMES) return saying(`has ${names.length} members at`);
      for (const name of names) {
        if (!NAME.test(name) || name === '__proto__') return saying('has a member of an impossible name at');
        const found = fault(rule.of, value[name]);
        if (found) return within(name, found);
      }
      return undefined;
    }
    case 'shape': {
      if (!isPlain(value)) return saying('has no object at');
      for (const [name, member] of rule.members) {
        const given = Object.hasOwn(value, name) ? value[name] : undefined;
        if (given === undefined) {
          if (member.optional) continue;
          return saying('lacks', `.${name}`);
        }
        const found = fault(member.rule, given);
        if (found) return within(name, found);
      }
      for (const name of Object.keys(value)) {
        if (!rule.members.has(name)) return saying('holds', `.${shown(name)}`, ', which is no member of it');
      }
      return undefined;
    }
    case 'or_null':
      return value === null ? undefined : fault(rule.of, value);
    case 'either': {
      const found = rule.of.map((one) => fault(one, value));
      return found.some((one) => one === undefined) ? undefined : found.at(-1);
    }
  }
}

function isText(value: string, is: RegExp | ((value: string) => boolean) = isSoundText): boolean {
  return typeof is === 'function' ? is(value) : is.test(value);
}

/** Every store gives it back as it was: no half of a surrogate pair, no NUL. */
export const isSoundText = (value: string): boolean => !/\p{Surrogate}/u.test(value) && !value.includes('\0');

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (name: string): string => (NAME.test(name) ? name : JSON.stringify(name.slice(0, 64)));
