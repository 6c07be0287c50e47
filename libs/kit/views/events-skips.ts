/** An operator lets the views skip an event that they cannot take. */
import { type EventIn, event, only } from '#domain/catalogue-entry';
import { described, list, optional, text } from '#domain/schemas';
import { aPlace, aReason, at, operator, requestId } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Decisions about views. */
export const viewEvents = {
  ViewSkipped: event(1, only(streams.views()), 'an operator let the views skip an event that they cannot take', {
    position: described(aPlace, "the event's place in the log"),
    stream: described(text(2048), 'its stream'),
    type: described(text(256), 'its type'),
    views: described(
      optional(list(text(64), 64)),
      'the views that had stopped at it and skip it; left out where no view can read it (and once always): all',
    ),
    reason: described(aReason, "the operator's reason"),
    operator,
    request_id: requestId,
    at,
  }),
};

export type ViewSkipped = EventIn<typeof viewEvents, 'ViewSkipped'>;
