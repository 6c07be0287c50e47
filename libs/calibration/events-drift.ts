import { type EventIn, event, type StreamRule } from '#domain/catalogue-entry';
import { type Decider, never } from '#domain/decider';
import { described, orNull } from '#domain/schemas';
import { aBaseline, at, aWindow, population } from '#domain/shapes';
import { streams } from '#domain/streams';
import type { DriftChange, DriftWindow } from '#science/calibration/drift';
import { approvalsInForce, type CalibrationState, scorerOf } from './events.js';

const driftStream: StreamRule<{ population: string }> = {
  name: 'drift-{population}',
  is: (stream, { population }) => stream === streams.drift(population),
};
const watched = { population, baseline: described(aBaseline, 'what it was compared with ([baseline](#baseline))'), at };

/** Events of drift. */
export const driftEvents = {
  DriftBegan: event(1, driftStream, 'a window of claims differs from the baseline; once per episode, whoever watches', {
    ...watched,
    window: described(aWindow, 'the window that it began with ([window](#window))'),
  }),
  DriftEnded: event(1, driftStream, 'windows are as the baseline again, or another baseline holds', {
    ...watched,
    window: described(
      orNull(aWindow),
      'the last of the clean windows ([window](#window)); null where another baseline holds',
    ),
  }),
};

/** The baseline of windows: claims under one model, up to a place in the log. */
export type DriftBaseline = DriftBegan['data']['baseline'];

/** The newest approval in force under the model, of a rung or of a scorer, or the shipped asset, which holds `shipped` stones. */
export function driftBaseline(state: CalibrationState, model: string, shipped: number): DriftBaseline {
  let newest: DriftBaseline = {
    source: 'shipped',
    model,
    reject_target: null,
    approved_at: null,
    claims: shipped,
    position: '0',
  };
  const ofScorer = scorerOf(state, model).approval;
  const approvals = [...approvalsInForce(state, model), ...(ofScorer ? [{ ...ofScorer, reject_target: null }] : [])];
  for (const { reject_target, at, proposal } of approvals) {
    const { claims, position } = proposal;
    if (BigInt(position) <= BigInt(newest.position)) continue;
    newest = { source: 'approved', model, reject_target, approved_at: at, claims, position };
  }
  return newest;
}

/** The window's claims differ from the baseline. */
export type DriftBegan = EventIn<typeof driftEvents, 'DriftBegan'>;
/** Windows are as they were again, or another baseline holds: then the window is null. */
export type DriftEnded = EventIn<typeof driftEvents, 'DriftEnded'>;
export type DriftEvent = DriftBegan | DriftEnded;

export interface DriftState {
  /** The episode that stands. */
  open?: DriftBegan['data'];
  /** By baseline: where the last window ends that was recorded. */
  recordedTo: Readonly<Record<string, number>>;
}

export const noDrift: DriftState = { recordedTo: {} };

const nameOf = ({ source, model, position }: DriftBaseline): string => `${source} ${model} ${position}`;

export const sameBaseline = (a: DriftBaseline, b: DriftBaseline): boolean => nameOf(a) === nameOf(b);

export function evolveDrift({ recordedTo }: DriftState, event: DriftEvent): DriftState {
  const { baseline, window } = event.data;
  const now = window ? { ...recordedTo, [nameOf(baseline)]: window.to } : recordedTo;
  switch (event.type) {
    case 'DriftBegan':
      return { open: event.data, recordedTo: now };
    case 'DriftEnded':
      return { recordedTo: now };
    default:
      return never(event);
  }
}

/** Findings of a watch of the baseline that holds now, in the log's order. */
export interface DriftSeen {
  population: string;
  baseline: DriftBaseline;
  changes: readonly DriftChange[];
  at: string;
}

/**
 * The events left to record. Every watch of a log sees the same changes, so that one that comes later, or starts again,
 * adds nothing. Against the shipped baseline nothing begins or ends: an honest population with an instrument of its own
 * differs from it for ever. An episode that an earlier release began there stays open until an approval ends it.
 */
export function decideDrift(state: DriftState, { population, baseline, changes, at }: DriftSeen): DriftEvent[] {
  const events: DriftEvent[] = [];
  const began = (window: DriftWindow) =>
    events.push({ type: 'DriftBegan', version: 1, data: { population, baseline, window, at } });
  const ended = (held: DriftBaseline, window: DriftWindow | null) =>
    events.push({ type: 'DriftEnded', version: 1, data: { population, baseline: held, window, at } });
  const known = state.recordedTo[nameOf(baseline)] ?? 0;
  let open = state.open !== undefined;
  if (state.open && !sameBaseline(state.open.baseline, baseline)) {
    ended(state.open.baseline, null);
    open = false;
  }
  const episodes = baseline.source === 'shipped' ? [] : changes;
  for (const { type, window } of episodes) {
    if (window.to <= known) continue;
    if (type === 'began') began(window);
    else ended(baseline, window);
    open = type === 'began';
  }
  // Recorded before, ended for another baseline, and this one holds again.
  const last = episodes.at(-1);
  if (last?.type === 'began' && !open) began(last.window);
  return events;
}

export const driftDecider: Decider<DriftState, DriftSeen, DriftEvent> = {
  initial: noDrift,
  evolve: evolveDrift,
  decide: (state, seen) => ({ events: decideDrift(state, seen) }),
};
