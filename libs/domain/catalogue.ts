/** Every type of event in the log with its members, exactly: types and docs/reference/events.md are made of it, appends are held to it. */
import type { Static } from 'typebox';
import { type CatalogueEntry, event, type StreamRule } from './catalogue-entry.js';
import type { DomainEvent } from './decider.js';
import { lotEvents } from './lot/catalogue.js';
import { boolean, count, described, list, map, number, object, one, optional, orNull, part, text } from './members.js';
import {
  aBaseline,
  aDigest,
  aKey,
  aLabel,
  aName,
  anId,
  aPlace,
  aProposal,
  aReason,
  aResult,
  aRung,
  aScore,
  aScorerProposal,
  aSent,
  aSide,
  aTime,
  aTransport,
  at,
  aVector,
  aVerdict,
  aWindow,
  claimId,
  FINDINGS,
  LINE_CHARACTERS,
  latency,
  MAX_LINES,
  modelDigest,
  operator,
  population,
  REVIEW_OUTCOMES,
  reason,
  references,
  requestId,
  rung,
  sideFacts,
} from './shapes.js';
import { endsWithPart, streamPrefixes, streams } from './streams.js';

/** An operator's words about a claim or a finding. */
const reviewed = {
  note: described(aReason, "the operator's note"),
  outcome: described(
    orNull(one(...REVIEW_OUTCOMES)),
    '`confirmed`, `wrong` or `inconclusive`; null where the operator did not say',
  ),
  operator,
  request_id: requestId,
  at,
};

const claimStream: StreamRule<{ claim_id: string }> = {
  name: 'claim-{key id}-{claim id}',
  is: (stream, { claim_id }) => stream.startsWith(streamPrefixes.claims) && endsWithPart(stream, claim_id),
};
const submissionStream: StreamRule<{ key: { id: string }; claim_id: string }> = {
  name: claimStream.name,
  is: (stream, { key, claim_id }) => stream === streams.claim(key.id, claim_id),
};
const telemetryStream: StreamRule<{ key: { id: string } }> = {
  name: 'telemetry-{key id}',
  is: (stream, { key }) => stream === streams.telemetry(key.id),
};
const labelStream: StreamRule<unknown> = {
  name: 'labels-{key id}',
  is: (stream) => stream.startsWith(streamPrefixes.labels),
};
const keyStream: StreamRule<{ key: { id: string } } | { key_id: string }> = {
  name: 'key-{key id}',
  is: (stream, data) => stream === streams.key('key' in data ? data.key.id : data.key_id),
};
const calibrationStream: StreamRule<{ population: string }> = {
  name: 'calibration-{population}',
  is: (stream, { population }) => stream === streams.calibration(population),
};
const driftStream: StreamRule<{ population: string }> = {
  name: 'drift-{population}',
  is: (stream, { population }) => stream === streams.drift(population),
};
const only = (name: string): StreamRule<unknown> => ({ name, is: (stream) => stream === name });

const submission = {
  claim_id: claimId,
  request_id: requestId,
  key: described(aKey, 'the key that made it ([key](#key))'),
  transport: described(aTransport, '`json` or `multipart`'),
  reject_target: rung,
  model: modelDigest,
  ladder_revision: described(
    text(96),
    'what the population’s ladder was decided by; behind `@` the digest of its own scorer, where one decided',
  ),
  ladder_digest: described(
    orNull(aDigest),
    'digest of the calibration asset that came with the model, 64 hex; null before version 2',
  ),
  rough: described(sideFacts, 'the claimed rough ([side](#side))'),
  polish: described(sideFacts, 'the polish ([side](#side))'),
  shared_scans: described(
    orNull(count),
    'scans of the rough that are scans of the polish too, number for number; null where not known',
  ),
  at,
};
const engine = described(text(64), 'compute engine');
const result = described(aResult, 'the answer ([result](#result))');
const labelling = {
  claim_id: claimId,
  verdict: described(aVerdict, 'what the service had said'),
  agrees: described(boolean, 'whether the label agrees with it'),
  label: described(aLabel, 'what holds now ([label](#label))'),
};
const decidedOf = {
  population,
  operator,
  reason,
  at,
};
const chain = 'hash of all events of the stream before it, 64 hex ([how](../audit/chain.md))';
const decided = {
  ...decidedOf,
  reject_target: rung,
  scorer: described(
    orNull(aDigest),
    'digest of the population’s own scorer under which it is decided, 64 hex; null for raw scores',
  ),
  chain: described(orNull(aDigest), `${chain}; null before version 2`),
};
const scorerDecided = { ...decidedOf, chain: described(orNull(aDigest), chain) };
const requestedBy = described(orNull(operator), 'under the four-eyes rule the first operator, else null');
const scorerProposal = described(aScorerProposal, 'what it rests on ([scorer proposal](#scorer-proposal))');
const watched = {
  population,
  baseline: described(aBaseline, 'what it was compared with ([baseline](#baseline))'),
  at,
};
const proposal = described(aProposal, 'what it rests on ([proposal](#proposal))');

export const catalogue = {
  ClaimSubmitted: event(2, submissionStream, 'both sides were read and measured; before scoring', submission),
  ClaimScored: event(1, claimStream, 'the verdict stands; before it is answered. Without it the claim is unfinished', {
    claim_id: claimId,
    request_id: requestId,
    result,
    engine,
    latency_ms: latency,
    at,
  }),
  ClaimRepeated: event(2, claimStream, 'a scored claim was sent again and got its stored verdict', {
    claim_id: claimId,
    request_id: requestId,
    sent: described(orNull(aSent), 'what this call sent ([sent](#sent)); null where not known'),
    latency_ms: latency,
    at,
  }),
  ClaimShadowScored: event(1, claimStream, 'the shadow model scored a scored claim; its vectors are banked before', {
    claim_id: claimId,
    request_id: requestId,
    model: described(aDigest, 'digest of that model, 64 hex'),
    fused_score: described(aScore, 'its score'),
    member_cosines: described(map(aScore), 'by encoder'),
    engine,
    at,
  }),
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
  ScanSetBanked: event(
    1,
    {
      name: 'bank-{population}-{model digest}-{scan-set digest}',
      is: (stream, { population, model, digest }) => stream === streams.bank(population, model, digest),
    },
    'a scan set was encoded for the first time in its population by this model',
    {
      population,
      model: modelDigest,
      digest: described(aDigest, 'digest of the scan set, 64 hex'),
      side: described(aSide, 'the side it was first banked as'),
      scans: described(count, 'scans pooled'),
      references: described(references, 'stone references'),
      vectors: described(map(aVector, 1), 'by encoder: 256 float32, little-endian, base64'),
      by: described(one('claim', 'replay'), '`claim` or `replay`'),
      claim_id: described(anId, 'the claim or replay that brought it first'),
      at,
    },
  ),
  ClaimLabelled: event(1, labelStream, 'a claim got its first label', labelling),
  LabelAmended: event(1, labelStream, 'a labelled claim got another label', {
    ...labelling,
    previous: described(aLabel, 'what held before ([label](#label))'),
  }),
  KeyCreated: event(1, keyStream, 'an operator created a key; this reserves its name for good', {
    key: described(aKey, 'the key ([key](#key))'),
    secret_sha256: described(aDigest, "SHA-256 of the key's secret, hex"),
    operator,
    at,
  }),
  KeyRevoked: event(1, keyStream, 'an operator revoked it', { key_id: described(anId, 'the key'), operator, at }),
  ...lotEvents,
  ApprovalRequested: event(
    3,
    calibrationStream,
    'under the four-eyes rule: a first operator approved a rung; a second one has to',
    { ...decided, proposal },
  ),
  RungApproved: event(
    3,
    calibrationStream,
    'an operator approved the population’s own threshold at a rung; it decides from then on',
    { ...decided, proposal, requested_by: requestedBy },
  ),
  RungWithdrawn: event(3, calibrationStream, 'an operator returned a rung to the shipped default', {
    ...decided,
    model: modelDigest,
  }),
  ScorerRequested: event(
    1,
    calibrationStream,
    'under the four-eyes rule: a first operator approved a population’s own scorer; a second one has to',
    { ...scorerDecided, proposal: scorerProposal },
  ),
  ScorerApproved: event(
    1,
    calibrationStream,
    'an operator approved a population’s own scorer; it scores from then on, in place of the one before',
    { ...scorerDecided, proposal: scorerProposal, requested_by: requestedBy },
  ),
  ScorerWithdrawn: event(1, calibrationStream, 'an operator returned a population to raw scores', {
    ...scorerDecided,
    model: modelDigest,
  }),
  ScorerPart: event(
    1,
    {
      name: 'scorer-{population}-{scorer digest}',
      is: (stream, { population, scorer }) => stream === streams.scorer(population, scorer),
    },
    'a part of the bytes of a scorer, or of the ladders it was made with; all of them before the event that names it',
    {
      population,
      scorer: described(aDigest, 'SHA-256 of all bytes, 64 hex'),
      part: described(count, 'which part, from 0'),
      parts: described(count, 'of how many'),
      lines: described(
        list(text(LINE_CHARACTERS, '^[A-Za-z0-9+/]+={0,2}$'), MAX_LINES),
        'the bytes in base64, up to 1,024 a line',
      ),
    },
  ),
  CarriedMeasured: event(
    1,
    {
      name: 'figure-{population}',
      is: (stream, { population }) => stream === streams.figure(population),
    },
    'the shipped thresholds were measured on a population, at 30, 100 and 300 counted claims',
    {
      population,
      model: modelDigest,
      ladder_digest: described(aDigest, 'digest of the calibration asset that came with the model, 64 hex'),
      claims: described(count, 'the first counted claims, on which it was measured'),
      stones: described(count, 'their rough stones'),
      rungs: described(
        list(
          object({
            reject_target: rung,
            wrong_per_1000: described(number(0, 1000), 'wrong claims in 1,000 that the shipped threshold accepts'),
          }),
          16,
        ),
        'by rung: `reject_target`, and `wrong_per_1000`, the wrong claims in 1,000 that its shipped threshold accepts',
      ),
      at,
    },
  ),
  DecisionPassedOver: event(
    1,
    {
      name: 'passedover-{population}',
      is: (stream, { population }) => stream === streams.passedOver(population),
    },
    'an event of the population’s calibration stream is not obeyed: for replicas without views, which cannot count its claims',
    {
      population,
      revision: described(count, 'of the event in the calibration stream'),
      problem: described(aReason, 'why, as the end of a sentence that begins with the event'),
      at,
    },
  ),
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
  FindingReviewed: event(
    2,
    { name: 'finding-{finding id}', is: (stream, { finding_id }) => stream === streams.finding(finding_id) },
    'an operator looked at a finding; what comes to it afterwards opens it again',
    {
      finding_id: described(anId, 'the finding'),
      kind: described(one(...FINDINGS), '`probing` or `multi_pass`'),
      claims: described(count, 'claims behind it as the operator saw it'),
      ...reviewed,
    },
  ),
  ClaimReviewed: event(
    2,
    { name: 'review-{claim id}', is: (stream, { claim_id }) => stream === streams.review(claim_id) },
    'an operator looked at a claim; a note, which changes nothing of it',
    { claim_id: claimId, ...reviewed },
  ),
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
  ViewSkipped: event(1, only(streams.views()), 'an operator let the views pass over an event that they cannot take', {
    position: described(aPlace, "the event's place in the log"),
    stream: described(text(2048), 'its stream'),
    type: described(text(256), 'its type'),
    views: described(
      optional(list(text(64), 64)),
      'the views that had stopped at it and pass over it; left out where no view can read it (and once always): all',
    ),
    reason: described(aReason, "the operator's reason"),
    operator,
    request_id: requestId,
    at,
  }),
  EventLost: event(
    1,
    { name: 'any', is: () => true },
    'an event could not be read when the log was exported, and the operator had this written in its place; views pass over it, and nothing is decided from its stream any more',
    {
      type: described(text(256), "the lost event's"),
      position: described(aPlace, 'its place in the log that was exported'),
      reason: described(text(4096), 'why it could not be read'),
    },
  ),
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
