/** The log's own story: no export holds it. */
import { type EventIn, event, only } from '#domain/catalogue-entry';
import { count, described, list, object, orNull, text } from '#domain/schemas';
import { aDigest, aPlace, at, operator, reason } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Rows that one event names. */
export const MAX_DISOWNED = 1000;

const secretIds = list(text(8, '^[0-9a-f]{8}$'), 64);

/** Decisions about the log as a whole. */
export const logEvents = {
  LogBegun: event(1, only(streams.log()), 'a log on EventStoreDB got its name, which every seal of it covers', {
    log: described(text(36, '^[0-9a-f-]{36}$'), 'its name, a UUID'),
  }),
  LogSealed: event(
    1,
    only(streams.log()),
    'an operator took what stands in the log as it is: events of a release without seals, or of a secret that is gone',
    {
      position: described(aPlace, 'place in the log up to which it is taken'),
      secrets: described(secretIds, 'ids of secrets that are gone: their seals up to `position` are taken unchecked'),
      events: described(count, 'number of the events that were sealed anew; 0 on EventStoreDB, where none is'),
      operator,
      reason,
      at,
    },
  ),
  RowsDisowned: event(
    1,
    only(streams.log()),
    'an operator disowned damaged rows: they are passed over for ever, and their streams can be read again',
    {
      rows: described(
        list(object({ position: text(20, '^-?[0-9]{1,19}$'), stream: text(2048) }), MAX_DISOWNED),
        'place in the log and stream of each',
      ),
      operator,
      reason,
      at,
    },
  ),
  LogImported: event(
    1,
    only(streams.log()),
    'an export of another log was written into this one, whose secret seals its events anew',
    {
      events: described(count, 'number of its events'),
      sha256: described(aDigest, 'digest of the export, 64 hex'),
      sealed_by: described(
        orNull(text(8, '^[0-9a-f]{8}$')),
        'id of the secret by which its seal was checked; null where `operator` answers for the events',
      ),
      unchecked: described(orNull(text(2000)), 'why it was taken without a check of its seal; null where that fits'),
      operator: described(operator, 'who imported it'),
      at,
    },
  ),
};

export type LogBegun = EventIn<typeof logEvents, 'LogBegun'>;
export type LogImported = EventIn<typeof logEvents, 'LogImported'>;
export type LogSealed = EventIn<typeof logEvents, 'LogSealed'>;
export type RowsDisowned = EventIn<typeof logEvents, 'RowsDisowned'>;
