/** API keys in the contract. */
import { IsBoolean, IsIn, IsISO8601, IsOptional, IsString } from 'class-validator';
import { type Static, Type } from 'typebox';
import { limits } from '#config/limits';
import { KEY_KINDS, MAX_RATE } from '#domain/shapes';
import { Flag, OneOf, OptionalInteger, OptionalText, optional, Text } from '#kit/http/dto';
import { utc } from '#kit/http/listing';
import { Read } from '#kit/http/validation';
import { string, time } from '#kit/views/shapes';
import type { KeyKind, KeyLife } from './events.js';

/** How long and how a key may be used. A form's fields are text. */
class KeyWish {
  @IsISO8601({ strict: true })
  @Read((value) => (value === 'never' ? null : value))
  @IsOptional()
  @Text('from then on it is refused: at most ten years from now; never: it does not end by itself', optional)
  expires_at?: string | null;

  @OptionalInteger(0, MAX_RATE, 'requests a second, twice as many at once after a pause; 0: as MVS_MAX_RATE')
  rate?: number;

  @OptionalText('whom to ask about it; empty: nobody', limits.noteCharacters)
  contact?: string;

  @IsOptional()
  @IsBoolean()
  @Flag('true: it also reads claims that other keys of its population made', optional)
  reads_population?: boolean;
}

/** The members that were sent, as events hold them. */
export const lifeOf = ({ expires_at, rate, contact, reads_population }: KeyWish): Partial<KeyLife> => ({
  ...(expires_at !== undefined && { expires_at: expires_at && utc(expires_at)! }),
  ...(rate !== undefined && { rate: rate || null }),
  ...(contact !== undefined && { contact: contact.trim() || null }),
  ...(reads_population !== undefined && { reads_population }),
});

export class NewKey extends KeyWish {
  @IsString()
  @Text('one per machine or integration; unique for good', { maxLength: limits.nameCharacters })
  name!: string;

  @IsOptional()
  @IsString()
  @Text('whose ladder decides; the key’s own name by default. A replacement names the old key’s', optional)
  population?: string;

  @IsOptional()
  @IsIn(KEY_KINDS)
  @OneOf(KEY_KINDS, 'test traffic is reported apart', { default: 'production', ...optional })
  kind: KeyKind = 'production';
}

export class KeyChange extends KeyWish {
  @IsOptional()
  @IsBoolean()
  @Flag('true: it is refused until it is resumed', optional)
  paused?: boolean;
}

export const createdKey = Type.Object(
  {
    name: string('as given'),
    key: string('the full key, shown this once'),
    note: string('reminder to store it'),
    population: string('whose ladder decides'),
    kind: string('production or test'),
  },
  { $id: 'CreatedKey' },
);
export type CreatedKey = Static<typeof createdKey>;

export const revokedKey = Type.Object(
  {
    name: string('name of the key'),
    prefix: string('prefix of the key'),
    status: Type.Literal('revoked'),
    revoked_at: time('when it was first revoked'),
    revoked_by: string('operator'),
  },
  { $id: 'RevokedKey' },
);
export type RevokedKey = Static<typeof revokedKey>;
