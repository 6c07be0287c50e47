/** Every type of event in the log: each room states its own. docs/reference/events.md is made of them, appends are held to them. */

import type { Static } from 'typebox';
import { calibrationEvents } from './calibration/events.js';
import { passedOverEvents } from './calibration/passed-over.js';
import type { CatalogueEntry } from './catalogue-entry.js';
import { claimEvents } from './claim/events.js';
import { keyEvents, workspaceEvents } from './credential/events.js';
import type { DomainEvent } from './decider.js';
import { driftEvents } from './drift/events.js';
import { figureEvents } from './figure/events.js';
import { findingEvents } from './finding/events.js';
import { labelEvents } from './label/events.js';
import { lostEvents } from './lost/events.js';
import { lotEvents } from './lot/events.js';
import { modelEvents } from './model/events.js';
import { bankEvents } from './scan-set-bank/events.js';
import { scorerEvents } from './scorer/events.js';
import { telemetryEvents } from './telemetry/events.js';
import { viewEvents } from './view/events.js';

export const catalogue = {
  ...claimEvents,
  ...telemetryEvents,
  ...bankEvents,
  ...labelEvents,
  ...keyEvents,
  ...workspaceEvents,
  ...lotEvents,
  ...calibrationEvents,
  ...scorerEvents,
  ...figureEvents,
  ...passedOverEvents,
  ...modelEvents,
  ...findingEvents,
  ...driftEvents,
  ...viewEvents,
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
