/** The outcome of the check of a log, as it is answered. */
import { type Static, Type } from 'typebox';
import { one, optional, orNull } from '#domain/schemas';

const damage = Type.Object(
  {
    position: Type.String({ description: 'in the log' }),
    stream: orNull(Type.String({ description: 'stream of the event' })),
    revision: orNull(Type.Integer({ description: 'place of the event in its stream' })),
    type: orNull(Type.String({ description: 'kind of the event' })),
    problem: Type.String({ description: 'what is wrong' }),
  },
  { $id: 'DamagedEvent' },
);
/** An event that is not as it was written. Its unknown parts are null. */
export type LogDamage = Static<typeof damage>;

export const LOG_CHECK_STATUSES = ['running', 'sound', 'damaged', 'failed'] as const;

export const logCheckState = Type.Object(
  {
    /** `damaged` as soon as damage is found; `failed` where the check itself could not go on. */
    status: one(...LOG_CHECK_STATUSES),
    checked: orNull(
      Type.String({ description: 'number of positions that were looked at, of `head`; null before the first window' }),
    ),
    head: orNull(Type.String({ description: 'position of the newest event' })),
    resumed_at: orNull(
      Type.String({
        description: 'position at which the check went on after the start; null where it began with the first event',
      }),
    ),
    whole_at: orNull(Type.String({ description: 'when the whole log had been gone over last; null if never' })),
    damaged: Type.Integer({
      description: 'number of events that are not as they were written, by the rules of mvs events verify',
    }),
    damage: Type.Array(damage, { description: 'the first of them' }),
    reason: optional(Type.String({ description: 'why the check could not go on' })),
  },
  { $id: 'LogCheckDetail' },
);
export type LogCheckState = Static<typeof logCheckState>;
