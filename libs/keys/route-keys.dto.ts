/** API keys in the contract. */
import { IsIn, IsOptional, IsString } from 'class-validator';
import { type Static, Type } from 'typebox';
import { limits } from '#config/limits';
import { orNull } from '#domain/schemas';
import { KEY_KINDS } from '#domain/shapes';
import { OneOf, optional, Text } from '#kit/http/dto';
import { string, time } from '#kit/views/shapes';
import type { KeyKind } from './events.js';
import { keyRow } from './queries-shapes.js';

export class NewKey {
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

export const key = Type.Object(
  {
    ...keyRow.properties,
    last_used_at: orNull(time('of its latest claim, replay or refused claim')),
  },
  { $id: 'Key' },
);
export type Key = Static<typeof key>;

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
