/** Shapes of events' members: TypeBox schemas, of which types, guard and docs/reference/events.md are made. */
import { type Static, type TObject, type TOptional, type TProperties, type TSchema, Type } from 'typebox';

/** Names in a map: of encoders, of stages. */
const MAX_NAMES = 64;
/** Names of members; `__proto__` would be none. */
export const NAME = '^(?!__proto__$)[\\w.-]{1,64}$';
/** Every store gives it back as it was: no half of a surrogate pair, no NUL. */
const SOUND = '^[^\\0\\p{Surrogate}]*$';

const sound = new RegExp(SOUND, 'u');
export const isSoundText = (value: string): boolean => sound.test(value);

/** @param longest in code points @param pattern what it has to be; any that every store gives back, if left out */
export const text = (longest: number, pattern = SOUND) => Type.String({ maxLength: longest, pattern });
/** Text that only code can judge. */
export const encoded = (maxLength: number, is: (value: string) => boolean) =>
  Type.Refine(Type.String({ maxLength }), is);
export const number = (minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE) => Type.Number({ minimum, maximum });
export const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const boolean = Type.Boolean();
export const one = <const V extends string | number | boolean>(...of: V[]) => Type.Unsafe<V>({ enum: of });
export const list = <S extends TSchema>(of: S, maxItems: number) => Type.Array(of, { maxItems });
export const pair = <S extends TSchema>(of: S) =>
  Type.Unsafe<[Static<S>, Static<S>]>({ type: 'array', items: of, minItems: 2, maxItems: 2 });
export const map = <S extends TSchema>(of: S, minProperties = 0) =>
  Type.Unsafe<Record<string, Static<S>>>({
    type: 'object',
    additionalProperties: of,
    propertyNames: { pattern: NAME },
    minProperties,
    maxProperties: MAX_NAMES,
  });
export const orNull = <S extends TSchema>(of: S) => Type.Union([of, Type.Null()]);
export const optional = <S extends TSchema>(of: S): TOptional<S> => Type.Optional(of) as TOptional<S>;
/** Exactly these members: one that is not named is a fault. */
export const object = <P extends TProperties>(properties: P) => Type.Object(properties, named(properties));
/** The same members, each of which may be left out. */
export const part = <P extends TProperties>(of: TObject<P>) => {
  const { properties } = Type.Partial(of);
  return Type.Object(properties, named(properties));
};
/** If members may be left out, one pattern of all names is checked ten times as fast as `additionalProperties`. */
const named = (properties: TProperties) =>
  Object.values(properties).some(Type.IsOptional)
    ? { propertyNames: { pattern: `^(?:${Object.keys(properties).join('|')})$` } }
    : { additionalProperties: false };

/** The same schema, with what it means where it stands. */
export const described = <S extends TSchema>(schema: S, description: string): S =>
  Type.With(schema, { description }) as unknown as S;
