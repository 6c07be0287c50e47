/** The models as they are answered. */
import { type Static, Type } from 'typebox';
import { orNull } from '#domain/schemas';
import { counts, flag, string, texts, time } from '#kit/views/shapes';

const HEX = '^[0-9a-fA-F]{64}$';
const digest = Type.String({ description: 'digest of a model', pattern: HEX });

const lastSwitch = Type.Object(
  {
    from: digest,
    to: digest,
    populations_falling_back: texts('populations'),
    operator: string('operator who decided'),
    reason: string('as the operator gave it'),
    request_id: string('the request'),
    at: time(),
  },
  { $id: 'LastSwitch' },
);
const fallingBack = Type.Object(
  { population: string('the population'), rungs: texts('rungs as 0.98') },
  { $id: 'FallingBack' },
);
export type FallingBack = Static<typeof fallingBack>;
const installed = Type.Object(
  {
    model: digest,
    name: string('name in its file'),
    live: flag('whether it decides'),
    shadow: flag('whether it scores answered claims beside the live one, and changes no answer'),
    scope: string('scope of its calibration asset'),
    populations_falling_back: Type.Array(fallingBack, {
      description: 'approved under the live model and not under this one',
    }),
  },
  { $id: 'InstalledModel' },
);
const worker = Type.Object(
  {
    id: string('worker'),
    engine: string('compute engine'),
    models: Type.Array(Type.String({ pattern: HEX }), { description: 'digests of its models' }),
  },
  { $id: 'ScoringWorker' },
);

export const publicModels = Type.Object(
  {
    live: string('digest of the model that decides'),
    switched: orNull(lastSwitch),
    installed: Type.Array(installed),
    workers: Type.Array(worker),
    shadow_claims: counts('answered claims since this process began: scored by the shadow model, or why not'),
  },
  { $id: 'Models' },
);
export type PublicModels = Static<typeof publicModels>;
