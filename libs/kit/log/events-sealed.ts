/** The log's own story: no export holds it. */
import { type EventIn, event, only } from '#domain/catalogue-entry';
import { count, described, list, orNull, text } from '#domain/schemas';
import { aDigest, aPlace, at, operator, reason } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Decisions about the log as a whole. */
export const logEvents = {
  LogSealed: event(
    1,
    only(streams.log()),
    'an operator took what stands in the log as it is: events of before there were seals, and those of a secret that is gone',
    {
      position: described(aPlace, 'place in the log up to which it is taken'),
      unsealed_to: described(aPlace, 'place up to which events need no seal: sealing began after it'),
      secrets: described(
        list(text(8, '^[0-9a-f]{8}$'), 64),
        'ids of secrets that are gone: up to `position` their seals are taken without being checked',
      ),
      events: described(count, 'number of the events up to `position`'),
      sha256: described(aDigest, 'SHA-256 of their lines as an export writes them, 64 hex'),
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
        "id of the other log's secret, whose seal was checked; null where `operator` answers for the events",
      ),
      operator: described(operator, 'who imported it'),
      at,
    },
  ),
};

export type LogImported = EventIn<typeof logEvents, 'LogImported'>;
export type LogSealed = EventIn<typeof logEvents, 'LogSealed'>;
