/** Health in the contract. */
import { type Static, Type } from 'typebox';
import { one, optional, orNull } from '#domain/schemas';
import { logCheckState } from '#kit/log/damage';
import { anyObject, flag, integer, sha256, string, time } from '#kit/views/shapes';
import { viewList } from '#kit/views/view-file';

export const liveness = Type.Object({ status: Type.Literal('ok') }, { $id: 'Liveness' });

const engine = Type.Object(
  {
    engine: string('compute engine'),
    reason: string('why it was chosen'),
    candidates: optional(Type.Array(anyObject(), { description: 'each engine that was tried, with what came of it' })),
  },
  { $id: 'Engine' },
);

const needed = { status: one('ok', 'unavailable') };
const neededPart = Type.Object(needed, { $id: 'NeededPart' });
const operatorsPart = Type.Object(
  {
    status: Type.With(one('ok', 'not_seen'), {
      description: 'not_seen: no replica that answers operators has said anything for some seconds',
    }),
  },
  { $id: 'OperatorsPart' },
);
const operators = optional(Type.With(operatorsPart, { description: 'only on a replica for claims, with Redis' }));
const logOutput = {
  status: Type.With(one('ok', 'dropping'), { description: 'dropping: the standard output does not take log lines' }),
};

const readinessParts = Type.Object(
  {
    event_log: neededPart,
    disk: neededPart,
    model: neededPart,
    scoring: neededPart,
    views: Type.Object({ status: one('ok', 'stopped') }, { $id: 'ViewsPart' }),
    operators,
    log_check: optional(Type.Object({ status: logCheckState.properties.status }, { $id: 'LogCheckPart' })),
    log_output: optional(Type.Object(logOutput, { $id: 'LogOutputPart' })),
  },
  { $id: 'ReadinessParts' },
);

export const readiness = Type.Object(
  {
    status: Type.With(one('ok', 'degraded', 'unavailable'), {
      description: 'degraded: claims are served, something else stands still or is damaged',
    }),
    version: string('of the service'),
    model: orNull(sha256('digest of the live model')),
    engine,
    parts: readinessParts,
  },
  { $id: 'Readiness' },
);

/** Of a part that a claim needs; its figures are there while it is `ok`. */
const failing = { ...needed, reason: optional(string('why it is unavailable')) };

const notObeyedEvent = Type.Object(
  {
    position: string('in the log'),
    stream: string('stream of the event'),
    revision: integer('place of the event in its stream'),
    type: string('kind of the event'),
    population: string('population of the stream'),
    problem: string('why it decides nothing'),
  },
  { $id: 'NotObeyedEvent' },
);
const missingModel = Type.Object(
  { population: string('population with an approval under that model'), model: sha256('digest of a model') },
  { $id: 'MissingModel' },
);
const calibration = Type.Object(
  {
    models_not_installed: Type.Array(missingModel),
    not_obeyed: integer('number of damaged rows in calibration streams, which decide nothing'),
    not_obeyed_events: Type.Array(notObeyedEvent, { description: 'the latest of the first hundred damaged rows' }),
  },
  { $id: 'CalibrationDetail' },
);
const ladder = Type.Object(
  {
    model: sha256('digest of a model'),
    ladder_digest: string('digest of its shipped ladder'),
    in_card: flag('whether the card of the model names that digest'),
  },
  { $id: 'LadderDetail' },
);

const damagedRow = Type.Object(
  {
    position: string('in the log'),
    stream: string('stream of the row, which is refused'),
    revision: integer('place of the row in its stream; -1: none'),
    type: string('what it says it is'),
    problem: string('what is wrong with it'),
  },
  { $id: 'DamagedRow' },
);
const taken = Type.Object(
  {
    position: string('up to which the log was taken as it stood'),
    operator: string('who took it'),
    reason: string('why'),
    at: time(),
  },
  { $id: 'LogTaken' },
);
const logSeal = Type.Object(
  {
    secrets: Type.Array(Type.String({ pattern: '^[0-9a-f]{8}$' }), { description: 'ids, the newest first' }),
    taken: Type.With(orNull(taken), { description: 'the latest decision of an operator' }),
    damaged: integer('damaged rows of the log that were found since the start and are not disowned'),
    damaged_rows: Type.Array(damagedRow, { description: 'the first of them' }),
  },
  { $id: 'LogSealDetail' },
);

const healthParts = Type.Object(
  {
    event_log: Type.Object({ ...failing, position: optional(string('the last one')) }, { $id: 'EventLogDetail' }),
    disk: Type.Object(failing, { $id: 'DiskDetail' }),
    model: Type.Object(
      {
        ...failing,
        digest: optional(sha256('digest of the live model')),
        installed: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { description: 'digests of all models' }),
      },
      { $id: 'ModelDetail' },
    ),
    scoring: Type.Object(
      {
        ...failing,
        waiting: optional(integer('claims')),
        active: optional(integer('claims in work')),
        workers: optional(integer('workers that hold the live model')),
      },
      { $id: 'ScoringDetail' },
    ),
    ladders: Type.Array(ladder),
    views: viewList.properties.views,
    operators,
    log_seal: logSeal,
    log_check: optional(logCheckState),
    log_output: optional(
      Type.Object({ ...logOutput, dropped: integer('log lines since the start') }, { $id: 'LogOutputDetail' }),
    ),
    calibration: optional(Type.With(calibration, { description: 'only on a replica that answers operators' })),
  },
  { $id: 'HealthParts' },
);

export type LogSealDetail = Static<typeof logSeal>;

export const healthDetail = Type.Object(
  { version: string('of the service'), engine, parts: healthParts },
  { $id: 'HealthDetail' },
);
export type HealthDetail = Static<typeof healthDetail>;
