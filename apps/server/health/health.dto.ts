/** Health in the contract. */
import { type ViewHealth, viewList } from '#views';
import { As, Flag, nullable, Of, OneOf, optional, Text, Texts, Whole } from '../http/dto.js';

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

export class LogCheckPart {
  @OneOf(LOG_CHECK) status!: string;
}

export class LogOutputPart {
  @OneOf(['ok', 'dropping'], 'dropping: the standard output does not take log lines') status!: string;
}

export class ReadinessParts {
  @Of(() => NeededPart) event_log!: NeededPart;
  @Of(() => NeededPart) disk!: NeededPart;
  @Of(() => NeededPart) model!: NeededPart;
  @Of(() => NeededPart) scoring!: NeededPart;
  @Of(() => ViewsPart) views!: ViewsPart;
  @Of(() => LogCheckPart, undefined, optional) log_check?: LogCheckPart;
  @Of(() => LogOutputPart, undefined, optional) log_output?: LogOutputPart;
}

export class Readiness {
  @OneOf(['ok', 'degraded', 'unavailable'], 'degraded: claims are served, something else stands still or is damaged')
  status!: string;
  @Text('of the service') version!: string;
  @Text('digest of the live model', { ...HEX, ...nullable }) model!: string | null;
  @Of(() => Engine) engine!: Engine;
  @Of(() => ReadinessParts) parts!: ReadinessParts;
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
  @Whole('claims', optional) waiting?: number;
  @Whole('claims in work', optional) active?: number;
  @Whole('those that hold the live model', optional) workers?: number;
}

export class LadderDetail {
  @Text('digest of a model', HEX) model!: string;
  @Text('of its shipped ladder') ladder_digest!: string;
  @Flag('whether its card names it') in_card!: boolean;
}

export class DamagedEvent {
  @Text('in the log') position!: string;
  @Text('the event’s', nullable) stream!: string | null;
  @Whole('the event’s', nullable) revision!: number | null;
  @Text('the event’s', nullable) type!: string | null;
  @Text('what is wrong') problem!: string;
}

export class LogCheckDetail extends LogCheckPart {
  @Text('positions looked at; null before the first window', nullable) checked!: string | null;
  @Text('of so many', nullable) head!: string | null;
  @Whole('findings: events that are not as they were written, or as mvs events verify has them') damaged!: number;
  @Of(() => [DamagedEvent], 'the first of them') damage!: DamagedEvent[];
  @Text('why the check could not go on', optional) reason?: string;
}

export class LogOutputDetail extends LogOutputPart {
  @Whole('log lines since the start') dropped!: number;
}

export class MissingModel {
  @Text('approved under it') population!: string;
  @Text('digest of a model', HEX) model!: string;
}

export class NotObeyedEvent {
  @Text('in the log') position!: string;
  @Text('the event’s') stream!: string;
  @Whole('the event’s') revision!: number;
  @Text('the event’s') type!: string;
  @Text('whose stream it is') population!: string;
  @Text('why it is passed over') problem!: string;
}

export class CalibrationDetail {
  @Of(() => [MissingModel]) models_not_installed!: MissingModel[];
  @Whole('events of calibration streams that are passed over') not_obeyed!: number;
  @Of(() => [NotObeyedEvent], 'the latest of them') not_obeyed_events!: NotObeyedEvent[];
}

export class HealthParts {
  @Of(() => EventLogDetail) event_log!: EventLogDetail;
  @Of(() => DiskDetail) disk!: DiskDetail;
  @Of(() => ModelDetail) model!: ModelDetail;
  @Of(() => ScoringDetail) scoring!: ScoringDetail;
  @Of(() => [LadderDetail]) ladders!: LadderDetail[];
  @As(viewList.properties.views) views!: ViewHealth[];
  @Of(() => LogCheckDetail, undefined, optional) log_check?: LogCheckDetail;
  @Of(() => LogOutputDetail, undefined, optional) log_output?: LogOutputDetail;
  @Of(() => CalibrationDetail) calibration!: CalibrationDetail;
}

export class HealthDetail {
  @Text('of the service') version!: string;
  @Of(() => Engine) engine!: Engine;
  @Of(() => HealthParts) parts!: HealthParts;
}
