/** Lots in the contract. Their forms are read by hand (lot-form.ts): these classes say what is read. */

import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { AnyOf, Files, Integer, Numeric, OneOf, optional, Text } from '#kit/http/dto';
import { ApiSchema } from '#kit/http/swagger';
import { SESSION_TYPES, type SessionType as SessionKind } from '#science/lots/model';
import { MAX_SUBSTITUTION } from '#science/lots/rehearsal';
import { MAX_SOURCES } from '#science/lots/rehearsed';
import { SCAN_FILES } from '#science/spectra/names';
import { LOT_ID } from './queries-shapes.js';

const SessionType = () => OneOf(SESSION_TYPES, 'how the stones lay', optional);
const ScanFiles = () => Files(`${SCAN_FILES}, named <stone>_<number>`);

export class ReturnForm {
  @ScanFiles() files!: string[];
  @SessionType() session_type?: string;
  @Text('person who scanned; appears in the report', { maxLength: 64, ...optional }) operator?: string;
  @Text('instrument; appears in the report', { maxLength: 64, ...optional }) instrument?: string;
}

@ApiSchema({ name: 'LotForm' })
export class EnrolmentForm extends ReturnForm {
  @Text('unique in the workspace', { minLength: 1, maxLength: 64 }) name!: string;
}

/** The members of a lot that may be changed. */
export class LotWish {
  @IsOptional()
  @IsString()
  @Text('another name, unique in the workspace', { minLength: 1, maxLength: 64, ...optional })
  name?: string;

  @IsOptional()
  @IsIn(SESSION_TYPES)
  @SessionType()
  session_type?: SessionKind;
}

const MAX_DRAWS = 2000;
const MAX_SEED = 2 ** 32 - 1;

export class RehearsalWish {
  @IsOptional()
  @Max(MAX_SUBSTITUTION)
  @Min(0)
  @IsNumber()
  @Numeric('share of the places to vacate', { minimum: 0, maximum: MAX_SUBSTITUTION, default: 0.2, ...optional })
  substitution = 0.2;

  @IsOptional()
  @Max(MAX_SEED)
  @Min(0)
  @IsInt()
  @Integer('seed of the draws', { minimum: 0, maximum: MAX_SEED, default: 1, ...optional })
  seed = 1;

  @IsOptional()
  @Max(MAX_DRAWS)
  @Min(1)
  @IsInt()
  @Integer('how many', { minimum: 1, maximum: MAX_DRAWS, default: 200, ...optional })
  draws = 200;

  @ValidateIf(({ source }) => source !== 'cohort')
  @Matches(new RegExp(LOT_ID), { each: true, message: 'source must be cohort or a list of lot ids' })
  @ArrayUnique()
  @ArrayMaxSize(MAX_SOURCES)
  @ArrayMinSize(1)
  @IsArray({ message: 'source must be cohort or a list of lot ids' })
  @AnyOf(
    [
      { const: 'cohort' },
      {
        type: 'array',
        items: { type: 'string', pattern: LOT_ID },
        ...{ minItems: 1, maxItems: MAX_SOURCES, uniqueItems: true },
      },
    ],
    'whose stones are offered: the model’s cohort, or lots of the same workspace',
    { default: 'cohort', ...optional },
  )
  source: 'cohort' | string[] = 'cohort';
}
