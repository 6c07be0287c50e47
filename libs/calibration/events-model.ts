import { type EventIn, event, only } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { described, list } from '#domain/schemas';
import { aDigest, aName, at, operator, reason, requestId } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Events of the live model. */
export const modelEvents = {
  ModelSwitched: event(
    1,
    only(streams.model()),
    'an operator made another installed model the live one, on every replica; or a new log began with one',
    {
      from: described(aDigest, 'digest of the model that was live, 64 hex; that of `to` where a log begins'),
      to: described(aDigest, 'digest of the model that is live from then on'),
      populations_falling_back: described(
        list(aName, Number.MAX_SAFE_INTEGER),
        'populations with a rung approved under the one and not under the other',
      ),
      operator,
      reason,
      request_id: requestId,
      at,
    },
  ),
};

export type ModelSwitched = EventIn<typeof modelEvents, 'ModelSwitched'>;

/** Until the first switch the model of the log's first claim is live. */
export interface ModelState {
  /** The last switch. */
  switched?: ModelSwitched['data'];
}

export const neverSwitched: ModelState = {};

/** Digest of the live model. @param own the one that is live until the first switch */
export const liveModel = ({ switched }: ModelState, own: string): string => switched?.to ?? own;

export function evolveModel(_: ModelState, event: ModelSwitched): ModelState {
  switch (event.type) {
    case 'ModelSwitched':
      return { switched: event.data };
    default:
      return never(event.type);
  }
}
