import { type EventIn, event, only, type StreamRule } from '#domain/catalogue-entry';
import { boolean, count, described, one, optional, part, text } from '#domain/schemas';
import {
  aKey,
  anId,
  aRung,
  aSide,
  aTime,
  aTransport,
  at,
  engine,
  latency,
  operator,
  requestId,
  result,
  sideFacts,
  submission,
} from '#domain/shapes';
import { streams } from '#domain/streams';

const telemetryStream: StreamRule<{ key: { id: string } }> = {
  name: 'telemetry-{key id}',
  is: (stream, { key }) => stream === streams.telemetry(key.id),
};

/** Events of calls. */
export const telemetryEvents = {
  ClaimRefused: event(2, telemetryStream, 'a call with a valid key got no verdict', {
    request_id: requestId,
    key: described(aKey, 'the key ([key](#key))'),
    transport: described(optional(aTransport), '`json` or `multipart`, where known'),
    status: described(count, 'HTTP status'),
    reason: described(text(64), 'kind of the refusal'),
    side: described(optional(aSide), 'the side to blame'),
    reject_target: described(optional(aRung), 'the rung, where it was readable'),
    replay: described(optional(boolean), 'true for a replay'),
    claim_id: described(optional(anId), 'the claim that it left unfinished'),
    rough: described(optional(part(sideFacts)), 'what could be read and measured of the rough (part of [side](#side))'),
    polish: described(optional(part(sideFacts)), 'the same of the polish'),
    latency_ms: latency,
    at,
  }),
  ClaimReplayed: event(2, telemetryStream, 'an authorised replay was answered; no claim history is written', {
    ...submission,
    tag: described(one('verify_match_replay'), '`verify_match_replay`'),
    authorised_by: described(operator, `the operator's name, or \`replay-token\``),
    result,
    engine,
    latency_ms: latency,
  }),
  RefusalsCounted: event(1, only(streams.edge()), 'once a minute for each reason that occurred', {
    status: described(one(401, 429), '401 or 429'),
    reason: described(text(64), 'which credential or limit'),
    count: described(count, 'calls'),
    from: described(aTime, 'begin of the minute, ISO 8601'),
    until: described(aTime, 'end of the window'),
  }),
};

/** Facts of calls that no claim's history holds. Nothing is decided on them. */
export type ClaimRefused = EventIn<typeof telemetryEvents, 'ClaimRefused'>;
export type ClaimReplayed = EventIn<typeof telemetryEvents, 'ClaimReplayed'>;
/** Calls refused before a key answered for them, or for coming too often: counted, so that a flood cannot fill the log. */
export type RefusalsCounted = EventIn<typeof telemetryEvents, 'RefusalsCounted'>;
