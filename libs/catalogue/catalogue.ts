/** Every type of event in the log: each folder states its own. docs/reference/events.md is made of them, appends are held to them. */

import type { Static } from 'typebox';
import { calibrationEvents } from '#calibration/events';
import { driftEvents } from '#calibration/events-drift';
import { figureEvents } from '#calibration/events-figure';
import { modelEvents } from '#calibration/events-model';
import { rejectedDecisionEvents } from '#calibration/events-rejected';
import { scorerEvents } from '#calibration/events-scorer';
import { claimEvents } from '#claims/events';
import { bankEvents } from '#claims/events-bank';
import { telemetryEvents } from '#claims/events-calls';
import type { CatalogueEntry } from '#domain/catalogue-entry';
import type { DomainEvent } from '#domain/decider';
import { findingEvents } from '#findings/events';
import { keyEvents, workspaceEvents } from '#keys/events';
import { lostEvents } from '#kit/log/events-lost';
import { logEvents } from '#kit/log/events-sealed';
import { viewEvents } from '#kit/views/events-skips';
import { labelEvents } from '#labels/events';
import { lotEvents } from '#lots/events';
import { lotScorerEvents } from '#lots/events-scorer';

export const catalogue = {
  ...claimEvents,
  ...telemetryEvents,
  ...bankEvents,
  ...labelEvents,
  ...keyEvents,
  ...workspaceEvents,
  ...lotEvents,
  ...lotScorerEvents,
  ...calibrationEvents,
  ...scorerEvents,
  ...figureEvents,
  ...rejectedDecisionEvents,
  ...modelEvents,
  ...findingEvents,
  ...driftEvents,
  ...viewEvents,
  ...logEvents,
  ...lostEvents,
} satisfies Record<string, CatalogueEntry>;

export type EventType = keyof typeof catalogue;
/** An event by its type, in the version that is written today. */
export type EventOf<Type extends EventType> = Type extends EventType
  ? DomainEvent<Type, (typeof catalogue)[Type]['version'], Static<(typeof catalogue)[Type]['schema']>>
  : never;
export type CataloguedEvent = EventOf<EventType>;

/** The entry of a type that the log knows; undefined of any other. */
export const entryOf = (type: string): CatalogueEntry | undefined =>
  Object.hasOwn(catalogue, type) ? catalogue[type as EventType] : undefined;
