/** API keys in the contract. */
import { IsIn, IsOptional, IsString } from 'class-validator';
import { KEY_KINDS, type KeyKind, MAX_NAME_CHARACTERS } from '#domain';
import { nullable, OneOf, optional, Text, Time } from '../http/dto.js';

export class NewKey {
  @IsString()
  @Text('one per machine or integration; unique for good', { maxLength: MAX_NAME_CHARACTERS })
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

export class CreatedKey {
  @Text('as given') name!: string;
  @Text('the full key, shown this once') key!: string;
  @Text('reminder to store it') note!: string;
  @Text('whose ladder decides') population!: string;
  @Text('production or test') kind!: string;
}

export class Key {
  @Text('unique') name!: string;
  @Text('what DELETE takes, whole or its beginning') prefix!: string;
  @Text('production or test') kind!: string;
  @Text('whose ladder decides') population!: string;
  @OneOf(['active', 'revoked']) status!: 'active' | 'revoked';
  @Time('when') created_at!: string;
  @Text('operator') created_by!: string;
  @Time('when', nullable) revoked_at!: string | null;
  @Text('operator', nullable) revoked_by!: string | null;
  @Time('of its latest claim, replay or refused claim', nullable) last_used_at!: string | null;
}

export class RevokedKey {
  @Text('name of the key') name!: string;
  @Text('prefix of the key') prefix!: string;
  @Text(undefined, { const: 'revoked' }) status!: string;
  @Time('when it was first revoked') revoked_at!: string;
  @Text('operator') revoked_by!: string;
}
