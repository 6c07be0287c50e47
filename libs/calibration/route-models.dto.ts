/** An operator's requests about models. */
import { IsBoolean, IsOptional } from 'class-validator';
import { Digest, Flag, optional, RequiredText } from '#kit/http/dto';
import { ApiSchema } from '#kit/http/swagger';

@ApiSchema({ name: 'ModelSwitch' })
export class SwitchBody {
  @Digest('model', 'digest of a model')
  model!: string;

  @RequiredText()
  reason!: string;

  @IsOptional()
  @IsBoolean()
  @Flag('populations may fall back to the shipped default', { default: false, ...optional })
  accept_uncalibrated = false;
}
