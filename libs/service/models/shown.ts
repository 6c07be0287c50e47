/** The models as they are answered. */
import { type Static, Type } from 'typebox';
import { orNull } from '#domain';

const HEX = '^[0-9a-fA-F]{64}$';
const digest = Type.String({ description: 'digest of a model', pattern: HEX });

const lastSwitch = Type.Object(
  {
    from: digest,
    to: digest,
    populations_falling_back: Type.Array(Type.String(), { description: 'populations' }),
    operator: Type.String({ description: 'operator who decided' }),
    reason: Type.String({ description: 'as the operator gave it' }),
    request_id: Type.String({ description: 'the request' }),
    at: Type.String({ format: 'date-time', description: 'when' }),
  },
  { $id: 'LastSwitch' },
);
const fallingBack = Type.Object(
  {
    population: Type.String({ description: 'the population' }),
    rungs: Type.Array(Type.String(), { description: 'rungs as 0.98' }),
  },
  { $id: 'FallingBack' },
);
export type FallingBack = Static<typeof fallingBack>;
const installed = Type.Object(
  {
    model: digest,
    name: Type.String({ description: 'name in its file' }),
    live: Type.Boolean({ description: 'whether it decides; the other one is the shadow' }),
    scope: Type.String({ description: 'scope of its calibration asset' }),
    populations_falling_back: Type.Array(fallingBack, {
      description: 'approved under the live model and not under this one',
    }),
  },
  { $id: 'InstalledModel' },
);
const worker = Type.Object(
  {
    id: Type.String({ description: 'worker' }),
    engine: Type.String({ description: 'compute engine' }),
    models: Type.Array(Type.String({ pattern: HEX }), { description: 'digests of its models' }),
  },
  { $id: 'ScoringWorker' },
);

export const shownModels = Type.Object(
  {
    live: Type.String({ description: 'digest of the model that decides' }),
    switched: orNull(lastSwitch),
    installed: Type.Array(installed),
    workers: Type.Array(worker),
    shadow_claims: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'answered claims since this process began: scored by the shadow model, or why not',
    }),
  },
  { $id: 'Models' },
);
export type ShownModels = Static<typeof shownModels>;
