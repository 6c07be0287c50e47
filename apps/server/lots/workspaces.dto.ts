/** Workspaces of the lot product in the contract. */
import { IsString } from 'class-validator';
import { nullable, OneOf, Text, Time } from '../http/dto.js';

const Prefix = () => Text('as listings show it', { pattern: '^mvs_lots_[0-9a-f]{16}$' });

export class NewWorkspace {
  @IsString()
  @Text('1 to 64 printable characters; it stays taken', { minLength: 1, maxLength: 64 })
  name!: string;
}

export class CreatedWorkspace {
  @Text('its name') name!: string;
  @Text('for X-Svc-Token; shown this once') token!: string;
  @Text('a reminder to store it') note!: string;
}

export class Workspace {
  @Text('its name') name!: string;
  @Prefix() prefix!: string;
  @OneOf(['active', 'revoked']) status!: 'active' | 'revoked';
  @Time('when') created_at!: string;
  @Text('operator') created_by!: string;
  @Time('when', nullable) revoked_at!: string | null;
  @Text('operator', nullable) revoked_by!: string | null;
  @Time('when its token last opened anything, reads and repeats too, to the hour', nullable) last_used_at!:
    | string
    | null;
}

export class RevokedWorkspace {
  @Text('its name') name!: string;
  @Prefix() prefix!: string;
  @OneOf(['revoked']) status!: string;
  @Time('when') revoked_at!: string;
  @Text('operator') revoked_by!: string;
}
