/** Every type of event in the log: each folder states its own. docs/reference/events.md is made of them, appends are held to them. */

import type { Static } from 'typebox';
import { calibrationEvents } from '#calibration/events';
import { rejectedDecisionEvents } from '#calibration/events-rejected';
import { claimEvents } from '#claims/events';
import { bankEvents } from '#claims/events-bank';
import type { CatalogueEntry } from '#domain/catalogue-entry';
import type { DomainEvent } from '#domain/decider';
import { driftEvents } from '#drift/events';
import { figureEvents } from '#evidence/events-figure';
import { findingEvents } from '#findings/events';
import { keyEvents, workspaceEvents } from '#keys/events';
import { lostEvents } from '#kit/log/events-lost';
import { logEvents } from '#kit/log/events-sealed';
import { viewEvents } from '#kit/views/events-skips';
import { labelEvents } from '#labels/events';
import { lotScorerEvents } from '#lot-scorers/events-scorer';
import { lotEvents } from '#lots/events';
import { modelEvents } from '#models/events';
import { scorerEvents } from '#scorers/events-scorer';
import { telemetryEvents } from '#telemetry/events';

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
