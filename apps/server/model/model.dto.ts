/** Models in the contract. */
import { IsBoolean, IsOptional } from 'class-validator';
import { Digest, Flag, Named, nullable, Of, optional, Stated, Text, Texts, Time } from '../http/dto.js';
import { ApiSchema } from '../http/swagger.js';

@ApiSchema({ name: 'ModelSwitch' })
export class SwitchBody {
  @Digest('model', 'digest of a model')
  model!: string;

  @Stated()
  reason!: string;

  @IsOptional()
  @IsBoolean()
  @Flag('populations may fall back to the shipped default', { default: false, ...optional })
  accept_uncalibrated = false;
}

const HEX = { pattern: '^[0-9a-fA-F]{64}$' };
const ModelDigest = () => Text('digest of a model', HEX);

export class LastSwitch {
  @ModelDigest() from!: string;
  @ModelDigest() to!: string;
  @Texts('populations') populations_falling_back!: string[];
  @Text('who') operator!: string;
  @Text('as the operator gave it') reason!: string;
  @Text('the request') request_id!: string;
  @Time('when') at!: string;
}

export class FallingBack {
  @Text('the population') population!: string;
  @Texts('rungs as 0.98') rungs!: string[];
}

export class InstalledModel {
  @ModelDigest() model!: string;
  @Text('as its file has it') name!: string;
  @Flag('whether it decides; the other one is the shadow') live!: boolean;
  @Text('of its calibration asset') scope!: string;
  @Of(() => [FallingBack], 'approved under the live model and not under this one')
  populations_falling_back!: FallingBack[];
}

export class ScoringWorker {
  @Text('worker') id!: string;
  @Text('compute engine') engine!: string;
  @Texts('digests of its models', HEX) models!: string[];
}

export class Models {
  @Text('digest of the model that decides') live!: string;
  @Of(() => LastSwitch, undefined, nullable) switched!: LastSwitch | null;
  @Of(() => [InstalledModel]) installed!: InstalledModel[];
  @Of(() => [ScoringWorker]) workers!: ScoringWorker[];
  @Named('integer', 'answered claims since this process began: scored by the shadow model, or why not')
  shadow_claims!: Record<string, number>;
}
