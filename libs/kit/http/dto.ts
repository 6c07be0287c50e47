/** Members of queries and bodies. One decorator describes a member: for the contract, and for the check too (class-validator). */
import { applyDecorators, type Type } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { limits } from '#config/limits';
import { FINDING_OUTCOMES, REVIEW_OUTCOMES } from '#domain/shapes';
import { cleanText } from '#science/spectra/names';
import { ApiProperty } from './swagger.js';
import { Read } from './validation.js';

/** Further facts of a member in the contract, besides type and description. */
interface More {
  required?: boolean;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export const optional = { required: false } as const;

const property = (options: object) => ApiProperty(options as ApiPropertyOptions);
export const Text = (description?: string, more?: More) => property({ type: 'string', description, ...more });
export const Numeric = (description?: string, more?: More) => property({ type: 'number', description, ...more });
export const Integer = (description?: string, more?: More) => property({ type: 'integer', description, ...more });
export const Flag = (description?: string, more?: More) => property({ type: 'boolean', description, ...more });
const Time = (description?: string, more?: More) => Text(description, { format: 'date-time', ...more });
export const OneOf = (values: readonly (string | number)[], description?: string, more?: More) =>
  property({ enum: [...values], description, ...more });
export const Numbers = (description?: string, more?: More) => property({ type: [Number], description, ...more });
/** Another class, or a list of it. */
export const Nested = (of: () => Type | [Type], description?: string, more?: More) =>
  property({ type: () => of(), description, ...more });
/** One file or more of a form. */
export const Files = (description: string) =>
  property({ type: 'array', items: { type: 'string', format: 'binary', description }, minItems: 1 });
/** One of several schemas. */
export const AnyOf = (schemas: readonly object[], description?: string, more?: More) =>
  property({ oneOf: [...schemas], description, ...more });
/** Members that many requests have. Failed checks are reported from first to last, and of stacked decorators from the lowest up. */
export const OptionalText = (description: string, maxLength = 256) =>
  applyDecorators(MaxLength(maxLength), IsString(), IsOptional(), Text(description, { maxLength, ...optional }));
export const OptionalTime = (description: string) =>
  applyDecorators(IsISO8601({ strict: true }), IsOptional(), Time(description, optional));
export const OptionalFlag = (description: string) =>
  applyDecorators(
    IsBoolean(),
    Read((value) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsOptional(),
    OneOf(['true', 'false'], description, optional),
  );
export const OptionalOneOf = (values: readonly string[], description: string) =>
  applyDecorators(IsIn(values), IsOptional(), OneOf(values, description, optional));

const DIGEST = '^[0-9a-fA-F]{64}$';
/** A digest in a request, in upper or lower case. */
export const Digest = (name: string, description: string) =>
  applyDecorators(
    Matches(new RegExp(DIGEST), { message: `${name} must be a digest of 64 hex digits` }),
    Text(description, { pattern: DIGEST }),
  );
/** A model by its digest; the live one where none is named. */
export const OptionalModel = () =>
  applyDecorators(
    IsOptional(),
    Digest('model', 'digest of an installed model; the live one by default'),
    property({ required: false }),
  );

/** A letter, digit or sign that can be seen. */
const SEEN = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/** A reason or a note of an operator, kept for good: cleaned, trimmed, not empty. */
export const RequiredText = (description = 'at most 2,000 characters') =>
  applyDecorators(
    Read((value) => (typeof value === 'string' ? cleanText(value).trim() : value)),
    IsString(),
    Matches(SEEN, { message: '$property must hold something that can be read' }),
    Length(1, limits.reasonCharacters),
    Text(description, { minLength: 1, maxLength: limits.reasonCharacters }),
  );

/** Whole numbers in a query, which are text. */
export const OptionalInteger = (minimum: number, maximum: number, description: string, more?: More) =>
  applyDecorators(
    Max(maximum),
    Min(minimum),
    IsInt(),
    Read(Number),
    IsOptional(),
    Integer(description, { minimum, maximum, ...optional, ...more }),
  );

/** Parameters of every listing. */
export const Limit = () => OptionalInteger(1, limits.maxPageItems, 'items per page', { default: limits.pageItems });
export const Cursor = () => OptionalText('next_cursor of the previous page', 512);

export class PageQuery {
  @Limit()
  limit = limits.pageItems;

  @Cursor()
  cursor?: string;
}

/** The body of an operator's note on a claim. */
export class Review {
  @RequiredText('what was found')
  note!: string;

  @OptionalOneOf(
    REVIEW_OUTCOMES,
    'whether the verdict held up; taken_back: the note before does not count, it waits again',
  )
  outcome?: (typeof REVIEW_OUTCOMES)[number];
}

/** The same on a finding. */
export class FindingReview {
  @RequiredText('what was found')
  note!: string;

  @OptionalOneOf(FINDING_OUTCOMES, 'what came of it; taken_back: the note before does not count, it is open again')
  outcome?: (typeof FINDING_OUTCOMES)[number];
}
