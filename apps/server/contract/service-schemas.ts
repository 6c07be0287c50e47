/** Schemas of what the service says of itself: the contract in short, and health. */
import { flag, list, number, object, orNull, ref, rejectTarget, type Schema, text, whole } from './schemas.js';

const texts = (...names: string[]) => object(Object.fromEntries(names.map((name) => [name, text('what to send')])));
const status = (...statuses: string[]): Schema => ({ type: 'string', enum: statuses });
const needed = status('ok', 'unavailable');
const logCheck = status('running', 'sound', 'damaged', 'failed');
const engine = object({ engine: text('compute engine'), reason: text('why it was chosen') });
const model = text('digest of a model', { pattern: '^[0-9a-f]{64}$' });

/** A part that a claim needs; its figures are there while it is `ok`. */
const part = (figures: Record<string, Schema> = {}, always: Record<string, Schema> = {}): Schema =>
  object({ status: needed, reason: text('why it is unavailable'), ...figures, ...always }, [
    'reason',
    ...Object.keys(figures),
  ]);

export const serviceSchemas: Record<string, Schema> = {
  Summary: object({
    service: text('its name'),
    version: text('of the service'),
    engine: text('compute engine'),
    model: { ...model, description: 'digest of the live model' },
    endpoint: text('where claims are sent'),
    auth: text('what a call needs'),
    scope: text('what the calibration covers'),
    inputs: object({
      multipart: texts('rough_files', 'polish_files', 'reject_target'),
      json: texts('rough', 'polish', 'reject_target'),
    }),
    reject_targets: list(rejectTarget, { description: 'rungs that a claim may name' }),
    default_reject_target: rejectTarget,
    expected_results: object({
      endpoint: text('where labels are sent'),
      purpose: text('what for'),
      body: text('what to send'),
      max_per_call: number('labels of one call'),
      advisory: text('what labels do not do'),
    }),
    experimental_reject_targets: list(rejectTarget),
    experimental_note: text('what an experimental rung is for'),
    notes: list(text('what an integrator should know')),
  }),
  Liveness: object({ status: { const: 'ok' } }),
  Readiness: object({
    status: {
      ...status('ok', 'degraded', 'unavailable'),
      description: 'degraded: claims are served, something else stands still or is damaged',
    },
    version: text('of the service'),
    model: { ...orNull(model), description: 'digest of the live model' },
    engine,
    parts: object(
      {
        event_log: object({ status: needed }),
        disk: object({ status: needed }),
        model: object({ status: needed }),
        scoring: object({ status: needed }),
        views: object({ status: status('ok', 'stopped') }),
        log_check: object({ status: logCheck }),
      },
      ['log_check'],
    ),
  }),
  HealthDetail: object({
    version: text('of the service'),
    engine,
    parts: object(
      {
        event_log: part({ position: text('the last one') }),
        disk: part(),
        model: part({ digest: model }, { installed: list(model) }),
        scoring: part({
          waiting: whole('claims'),
          active: whole('claims in work'),
          workers: whole('those that hold the live model'),
        }),
        ladders: list(
          object({ model, ladder_digest: text('of its shipped ladder'), in_card: flag('whether its card names it') }),
        ),
        views: list(ref('View')),
        log_check: object(
          {
            status: logCheck,
            checked: orNull(text('positions looked at; null before the first window')),
            head: orNull(text('of so many')),
            damaged: whole('events that are not as they were written'),
            damage: list(
              object({
                position: text('in the log'),
                stream: orNull(text('the event’s')),
                revision: orNull(whole('the event’s')),
                type: orNull(text('the event’s')),
                problem: text('what is wrong'),
              }),
              { description: 'the first of them' },
            ),
            reason: text('why the check could not go on'),
          },
          ['reason'],
        ),
        calibration: object({
          models_not_installed: list(object({ population: text('approved under it'), model })),
        }),
      },
      ['log_check'],
    ),
  }),
};
