/** Request classes of listings, made from the listings' descriptions. */
import { applyDecorators, type Type } from '@nestjs/common';
import { IsNumber, IsOptional, Matches, Max, Min } from 'class-validator';
import { type Asked, type Parameter, type Parameters, RUNG_PATTERN } from '#kit/views/listings';
import { RUNGS } from '#science/calibration/ladder';
import {
  Numeric,
  OneOf,
  OptionalFlag,
  OptionalInteger,
  OptionalOneOf,
  OptionalText,
  OptionalTime,
  optional,
  PageQuery,
} from './dto.js';
import { Read } from './validation.js';

function checkOf(name: string, parameter: Parameter): PropertyDecorator {
  const { says } = parameter;
  switch (parameter.kind) {
    case 'text':
      return OptionalText(says, parameter.longest);
    case 'time':
      return OptionalTime(says);
    case 'one of':
      return OptionalOneOf(parameter.values, says);
    case 'flag':
      return OptionalFlag(says);
    case 'status':
      return OptionalInteger(100, 599, says);
    case 'rung':
      return applyDecorators(
        IsOptional(),
        Matches(RUNG_PATTERN, { message: `${name} must be a rung, such as 0.98` }),
        OneOf(RUNGS, says, optional),
      );
    case 'share':
      return applyDecorators(
        IsOptional(),
        Read(Number),
        IsNumber({}, { message: `${name} must be a number from 0 to 1` }),
        Min(0),
        Max(1),
        Numeric(says, { minimum: 0, maximum: 1, ...optional }),
      );
  }
}

function withParameters<T extends object, P extends Parameters>(query: Type<T>, parameters: P): Type<T & Asked<P>> {
  for (const [name, parameter] of Object.entries(parameters)) checkOf(name, parameter)(query.prototype, name);
  return query as Type<T & Asked<P>>;
}

/** A class of a query that takes these parameters. */
export const queryOf = <P extends Parameters>(parameters: P): Type<Asked<P>> =>
  withParameters(class {}, parameters) as Type<Asked<P>>;
/** The same with a page's size and cursor. */
export const pageQueryOf = <P extends Parameters>(parameters: P): Type<PageQuery & Asked<P>> =>
  withParameters(class extends PageQuery {}, parameters);
