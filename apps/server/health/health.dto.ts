/** Health in the contract. */
import { type ViewHealth, viewList } from '#views';
import { Flag, FromSchema, Integer, Nested, nullable, OneOf, optional, Text, Texts } from '../http/dto.js';

const NEEDED = ['ok', 'unavailable'] as const;
const LOG_CHECK = ['running', 'sound', 'damaged', 'failed'] as const;
const HEX = { pattern: '^[0-9a-f]{64}$' };

export class Liveness {
  @Text(undefined, { const: 'ok' }) status!: string;
}

export class Engine {
  @Text('compute engine') engine!: string;
  @Text('why it was chosen') reason!: string;
}

export class NeededPart {
  @OneOf(NEEDED) status!: string;
}

export class ViewsPart {
  @OneOf(['ok', 'stopped']) status!: string;
}

export class OperatorsPart {
  @OneOf(['ok', 'not_seen'], 'not_seen: no replica that answers operators has said anything for some seconds')
  status!: string;
}

export class LogCheckPart {
  @OneOf(LOG_CHECK) status!: string;
}

export class LogOutputPart {
  @OneOf(['ok', 'dropping'], 'dropping: the standard output does not take log lines') status!: string;
}

export class ReadinessParts {
  @Nested(() => NeededPart) event_log!: NeededPart;
  @Nested(() => NeededPart) disk!: NeededPart;
  @Nested(() => NeededPart) model!: NeededPart;
  @Nested(() => NeededPart) scoring!: NeededPart;
  @Nested(() => ViewsPart) views!: ViewsPart;
  @Nested(() => OperatorsPart, 'only on a replica for claims, with Redis', optional) operators?: OperatorsPart;
  @Nested(() => LogCheckPart, undefined, optional) log_check?: LogCheckPart;
  @Nested(() => LogOutputPart, undefined, optional) log_output?: LogOutputPart;
}

export class Readiness {
  @OneOf(['ok', 'degraded', 'unavailable'], 'degraded: claims are served, something else stands still or is damaged')
  status!: string;
  @Text('of the service') version!: string;
  @Text('digest of the live model', { ...HEX, ...nullable }) model!: string | null;
  @Nested(() => Engine) engine!: Engine;
  @Nested(() => ReadinessParts) parts!: ReadinessParts;
}

/** A part that a claim needs; its figures are there while it is `ok`. */
export class DiskDetail extends NeededPart {
  @Text('why it is unavailable', optional) reason?: string;
}

export class EventLogDetail extends DiskDetail {
  @Text('the last one', optional) position?: string;
}

export class ModelDetail extends DiskDetail {
  @Text('digest of the live model', { ...HEX, ...optional }) digest?: string;
  @Texts('digests of all models', HEX) installed!: readonly string[];
}

export class ScoringDetail extends DiskDetail {
  @Integer('claims', optional) waiting?: number;
  @Integer('claims in work', optional) active?: number;
  @Integer('workers that hold the live model', optional) workers?: number;
}

export class LadderDetail {
  @Text('digest of a model', HEX) model!: string;
  @Text('digest of its shipped ladder') ladder_digest!: string;
  @Flag('whether the card of the model names that digest') in_card!: boolean;
}

export class DamagedEvent {
  @Text('in the log') position!: string;
  @Text('stream of the event', nullable) stream!: string | null;
  @Integer('place of the event in its stream', nullable) revision!: number | null;
  @Text('kind of the event', nullable) type!: string | null;
  @Text('what is wrong') problem!: string;
}

export class LogCheckDetail extends LogCheckPart {
  @Text('position up to which events were checked; null before the first window', nullable) checked!: string | null;
  @Text('position of the newest event', nullable) head!: string | null;
  @Integer('number of events that are not as they were written, by the rules of mvs events verify') damaged!: number;
  @Nested(() => [DamagedEvent], 'the first of them') damage!: DamagedEvent[];
  @Text('why the check could not go on', optional) reason?: string;
}

export class LogOutputDetail extends LogOutputPart {
  @Integer('log lines since the start') dropped!: number;
}

export class MissingModel {
  @Text('population with an approval under that model') population!: string;
  @Text('digest of a model', HEX) model!: string;
}

export class NotObeyedEvent {
  @Text('in the log') position!: string;
  @Text('stream of the event') stream!: string;
  @Integer('place of the event in its stream') revision!: number;
  @Text('kind of the event') type!: string;
  @Text('population of the stream') population!: string;
  @Text('why it decides nothing') problem!: string;
}

export class CalibrationDetail {
  @Nested(() => [MissingModel]) models_not_installed!: MissingModel[];
  @Integer('number of events of calibration streams that decide nothing') not_obeyed!: number;
  @Nested(() => [NotObeyedEvent], 'the latest of them') not_obeyed_events!: NotObeyedEvent[];
}

export class HealthParts {
  @Nested(() => EventLogDetail) event_log!: EventLogDetail;
  @Nested(() => DiskDetail) disk!: DiskDetail;
  @Nested(() => ModelDetail) model!: ModelDetail;
  @Nested(() => ScoringDetail) scoring!: ScoringDetail;
  @Nested(() => [LadderDetail]) ladders!: LadderDetail[];
  @FromSchema(viewList.properties.views) views!: ViewHealth[];
  @Nested(() => OperatorsPart, 'only on a replica for claims, with Redis', optional) operators?: OperatorsPart;
  @Nested(() => LogCheckDetail, undefined, optional) log_check?: LogCheckDetail;
  @Nested(() => LogOutputDetail, undefined, optional) log_output?: LogOutputDetail;
  @Nested(() => CalibrationDetail, 'only on a replica that answers operators', optional)
  calibration?: CalibrationDetail;
}

export class HealthDetail {
  @Text('of the service') version!: string;
  @Nested(() => Engine) engine!: Engine;
  @Nested(() => HealthParts) parts!: HealthParts;
}
