import type { DriftWindow, MeasureDrift } from '#calibration';
import type { KeyEvent, KeyFacts } from './api-key/events.js';
import type { CalibrationEvent, ProposalFacts } from './calibration/events.js';
import type { ClaimEvent, ClaimResult, SideFacts } from './claim/events.js';
import type { DriftBaseline, DriftEvent } from './drift/events.js';
import type { FindingReviewed } from './finding/events.js';
import type { Label, LabelEvent } from './label/events.js';
import type { EventLost } from './lost/events.js';
import type { ModelSwitched } from './model/events.js';
import type { BankEvent } from './scan-set-bank/events.js';
import type { TelemetryEvent } from './telemetry/events.js';
import type { ViewSkipped } from './view/events.js';

export type DomainEvent =
  | ClaimEvent
  | KeyEvent
  | BankEvent
  | LabelEvent
  | TelemetryEvent
  | CalibrationEvent
  | FindingReviewed
  | ModelSwitched
  | DriftEvent
  | ViewSkipped
  | EventLost;

/** A description of every field of a shape: the compiler refuses a field left out or one too many. */
type Fields<Shape> = { [Field in keyof Required<Shape>]: string };

export interface CatalogueEntry {
  /** The version that is written today. */
  version: number;
  stream: string;
  when: string;
  fields: Record<string, string>;
}

const claimId = 'the claim';
const requestId = 'the request, as in `X-Request-Id`';
const latency = 'milliseconds by stage';
const at = 'when, ISO 8601';
const operator = "the operator's name";
const submission = {
  claim_id: claimId,
  request_id: requestId,
  key: 'the key that made it ([key](#key))',
  transport: '`json` or `multipart`',
  reject_target: 'the rung',
  model: 'digest of the model, 64 hex',
  ladder_revision: 'what the population’s ladder was decided by',
  rough: 'the claimed rough ([side](#side))',
  polish: 'the polish ([side](#side))',
  at,
};
const scored = { result: 'the answer ([result](#result))', engine: 'compute engine', latency_ms: latency };
const labelling = {
  claim_id: claimId,
  verdict: 'what the service had said',
  agrees: 'whether the label agrees with it',
  label: 'what holds now ([label](#label))',
};

const decided = {
  population: 'the population',
  reject_target: 'the rung',
  operator,
  reason: 'as the operator gave it',
  at,
};
const watched = { population: 'the population', baseline: 'what it was held against ([baseline](#baseline))', at };
const proposal = 'what it rests on ([proposal](#proposal))';
/** Every type of event in the log. docs/events.md is written from it. */
export const catalogue = {
  ClaimSubmitted: {
    version: 1,
    stream: 'claim-{key id}-{claim id}',
    when: 'both sides were read and measured; before scoring',
    fields: submission,
  },
  ClaimScored: {
    version: 1,
    stream: 'claim-{key id}-{claim id}',
    when: 'the verdict stands; before it is told. Without it the claim is unfinished',
    fields: { claim_id: claimId, request_id: requestId, ...scored, at },
  },
  ClaimRepeated: {
    version: 1,
    stream: 'claim-{key id}-{claim id}',
    when: 'a scored claim was sent again and told its stored verdict',
    fields: { claim_id: claimId, request_id: requestId, latency_ms: latency, at },
  },
  ClaimShadowScored: {
    version: 1,
    stream: 'claim-{key id}-{claim id}',
    when: 'a model beside the live one scored a scored claim; its vectors are banked before',
    fields: {
      claim_id: claimId,
      request_id: requestId,
      model: 'digest of that model, 64 hex',
      fused_score: 'its score',
      member_cosines: 'by encoder',
      engine: 'compute engine',
      at,
    },
  },
  ClaimRefused: {
    version: 1,
    stream: 'telemetry-{key id}',
    when: 'a call with a valid key got no verdict',
    fields: {
      request_id: requestId,
      key: 'the key ([key](#key))',
      transport: '`json` or `multipart`, where known',
      status: 'HTTP status',
      reason: 'kind of the refusal',
      side: 'the side to blame',
      reject_target: 'the rung, where it was readable',
      replay: 'true for a replay',
      claim_id: 'the claim that it left unfinished',
      rough: 'what was measured of the rough before the refusal (part of [side](#side))',
      polish: 'the same of the polish',
      latency_ms: latency,
      at,
    },
  },
  ClaimReplayed: {
    version: 1,
    stream: 'telemetry-{key id}',
    when: 'an authorised replay was answered; no claim history is written',
    fields: {
      ...submission,
      tag: '`verify_match_replay`',
      authorised_by: `${operator}, or \`replay-token\``,
      ...scored,
    },
  },
  RefusalsCounted: {
    version: 1,
    stream: 'edge',
    when: 'once a minute for each reason that occurred',
    fields: {
      status: '401 or 429',
      reason: 'which credential or limit',
      count: 'calls',
      from: 'begin of the minute, ISO 8601',
      until: 'its end',
    },
  },
  ScanSetBanked: {
    version: 1,
    stream: 'bank-{population}-{model digest}-{scan-set digest}',
    when: 'a scan set was encoded for the first time in its population by this model',
    fields: {
      population: 'the population',
      model: 'digest of the model, 64 hex',
      digest: 'digest of the scan set, 64 hex',
      side: 'the side it was first banked as',
      scans: 'scans pooled',
      references: 'stone references',
      vectors: 'by encoder: 256 float32, little-endian, base64',
      by: '`claim` or `replay`',
      claim_id: 'the claim or replay that brought it first',
      at,
    },
  },
  ClaimLabelled: {
    version: 1,
    stream: 'labels-{key id}',
    when: 'a claim got its first label',
    fields: labelling,
  },
  LabelAmended: {
    version: 1,
    stream: 'labels-{key id}',
    when: 'a labelled claim got another label',
    fields: { ...labelling, previous: 'what held before ([label](#label))' },
  },
  KeyCreated: {
    version: 1,
    stream: 'key-{key id}',
    when: 'an operator created a key; this reserves its name for good',
    fields: { key: 'the key ([key](#key))', secret_sha256: "SHA-256 of the key's secret, hex", operator, at },
  },
  KeyRevoked: {
    version: 1,
    stream: 'key-{key id}',
    when: 'an operator revoked it',
    fields: { key_id: 'the key', operator, at },
  },
  ApprovalRequested: {
    version: 1,
    stream: 'calibration-{population}',
    when: 'under the four-eyes rule: a first operator approved a rung; a second one has to',
    fields: { ...decided, proposal },
  },
  RungApproved: {
    version: 1,
    stream: 'calibration-{population}',
    when: 'an operator approved the population’s own threshold at a rung; it decides from then on',
    fields: { ...decided, proposal, requested_by: 'under the four-eyes rule the first operator, else null' },
  },
  RungWithdrawn: {
    version: 1,
    stream: 'calibration-{population}',
    when: 'an operator returned a rung to the shipped default',
    fields: { ...decided, model: 'digest of the model, 64 hex' },
  },
  ModelSwitched: {
    version: 1,
    stream: 'model',
    when: 'an operator made another installed model the live one, on every replica',
    fields: {
      from: 'digest of the model that was live, 64 hex',
      to: 'digest of the model that is live from then on',
      populations_falling_back: 'populations with a rung approved under the one and not under the other',
      operator,
      reason: 'as the operator gave it',
      request_id: requestId,
      at,
    },
  },
  FindingReviewed: {
    version: 1,
    stream: 'finding-{finding id}',
    when: 'an operator looked at a finding; what comes to it afterwards opens it again',
    fields: {
      finding_id: 'the finding',
      kind: '`probing` or `multi_pass`',
      claims: 'claims behind it as the operator saw it',
      note: "the operator's note",
      operator,
      request_id: requestId,
      at,
    },
  },
  DriftBegan: {
    version: 1,
    stream: 'drift-{population}',
    when: 'a window of claims differs from the base line; once an episode, whoever watches',
    fields: { ...watched, window: 'the window that it began with ([window](#window))' },
  },
  DriftEnded: {
    version: 1,
    stream: 'drift-{population}',
    when: 'windows are as the base line again, or another base line holds',
    fields: {
      ...watched,
      window: 'the last of the clean windows ([window](#window)); null where another base line holds',
    },
  },
  ViewSkipped: {
    version: 1,
    stream: 'views',
    when: 'an operator let the views pass over an event that they cannot take',
    fields: {
      position: "the event's place in the log",
      stream: 'its stream',
      type: 'its type',
      views:
        'the views that had stopped at it and pass over it; left out where no view can read it (and once always): all',
      reason: "the operator's reason",
      operator,
      request_id: requestId,
      at,
    },
  },
  EventLost: {
    version: 1,
    stream: 'any',
    when: 'an event could not be read when the log was exported, and the operator had this written in its place; views pass over it, and nothing is decided from its stream any more',
    fields: {
      type: "the lost event's",
      position: 'its place in the log that was exported',
      reason: 'why it could not be read',
    },
  },
} satisfies {
  [Type in DomainEvent['type']]: CatalogueEntry & {
    version: Extract<DomainEvent, { type: Type }>['version'];
    fields: Fields<Extract<DomainEvent, { type: Type }>['data']>;
  };
};

/** Shapes that several events hold. */
export const shapes = {
  key: {
    id: 'public id, 16 hex: head of the SHA-256 of the name',
    name: 'as the operator named it',
    kind: '`production` or `test`',
    population: 'whose ladder decides',
  } satisfies Fields<KeyFacts>,
  side: {
    digest: 'SHA-256 of the parsed numbers, 64 hex',
    scans: 'scans used',
    duplicates: 'of these, exact copies of another',
    short_coverage: 'whether the axis stops short of the reference axis',
    references: 'stone references from file names or `stone_id`',
    sharpness: 'spectral-detail gauge',
    detail_residual: 'noise-character gauge',
    locally_polynomial: 'smoothing gauge',
  } satisfies Fields<SideFacts>,
  result: {
    mode: '`verify-match`',
    verdict: '`MATCH` or `NO_MATCH`',
    fused_score: 'the thresholded score',
    scorer: 'scoring rule',
    member_scores: 'by encoder',
    member_cosines: 'by encoder',
    threshold: 'the bar applied',
    threshold_source: 'where it comes from',
    reject_target: 'the rung',
    expected_genuine_accept: 'estimate or null',
    p_match_5050: 'calibrated probability',
    n_rough_scans: 'scans used',
    n_polish_scans: 'scans used',
    rough_sharpness: 'gauge',
    polish_sharpness: 'gauge',
    rough_detail_residual: 'gauge',
    polish_detail_residual: 'gauge',
    warnings: 'as told',
    scope: 'calibration scope',
    claim_id: claimId,
    experimental: 'true on an experimental rung',
  } satisfies Fields<ClaimResult>,
  proposal: {
    digest: 'the proposal’s, 64 hex, as the operator saw it',
    evidence_digest: 'over the counted claims and their vectors, 64 hex',
    method: 'version of docs/calibration-method.md',
    model: 'digest of the model, 64 hex',
    position: 'place in the log of the last claim behind it',
    decisions: 'approvals and withdrawals of the population before it',
    claims: 'counted claims behind it',
    roughs: 'rough stones',
    polishes: 'polish stones',
    pairs: 'pairs of stones that stand for wrong claims',
    threshold: 'the bar',
    interval: 'its 95% interval over stones',
    wrong_per_1000: 'wrong claims in 1,000 that it accepts',
    expected_genuine_accept: 'estimate or null',
    expected_genuine_accept_error: 'its standard error, or null',
    expected_genuine_accept_reason: 'why the estimate is null',
  } satisfies Fields<ProposalFacts>,
  baseline: {
    source: '`approved`: the claims behind an approval, or `shipped`: the shipped asset',
    model: 'digest of the model, 64 hex',
    reject_target: 'the rung approved, or null',
    approved_at: 'when, or null',
    claims: 'claims that it is made of',
    position: 'place in the log after which windows begin',
  } satisfies Fields<DriftBaseline>,
  window: {
    from: 'place in the log of its first claim',
    to: 'the same of its last',
    until: 'when that was made, ISO 8601',
    claims: 'claims in it',
    measures: 'a list, one for each measure ([measure](#measure))',
  } satisfies Fields<DriftWindow>,
  measure: {
    measure: '`fused_score`, or a gauge with its side',
    statistic: 'Anderson-Darling statistic of window against base line',
    drifted: 'whether it exceeds the limit',
    baseline_median: 'median of the base line',
    window_median: 'median of the window',
    shift: 'from median to median, in standard deviations of the base line; null where that does not vary',
  } satisfies Fields<MeasureDrift>,
  label: {
    expected: '`match` or `no_match`',
    stone_id: "the caller's reference",
    note: "the caller's note",
    request_id: requestId,
    at,
  } satisfies Fields<Label>,
};

/** docs/events.md, whole. */
export function renderCatalogue(): string {
  const table = (fields: Record<string, string>) => [
    '| field | meaning |',
    '|---|---|',
    ...Object.entries(fields).map(([field, meaning]) => `| \`${field}\` | ${meaning} |`),
  ];
  const entries: [string, CatalogueEntry][] = Object.entries(catalogue);
  return [
    '# Events',
    '',
    'What the log holds. Written from `libs/domain/catalogue.ts` (`UPDATE_DOCS=1 npm test -- catalogue`); a test compares.',
    '',
    'Each event has an id, a type, the version of its data, the stream and revision it stands at, a position in the',
    'log, a time and metadata (`correlationId`: the request; `causationId`: the event it follows from). Older versions',
    'are lifted to the newest when read (`libs/domain/upcast.ts`). Names in streams are percent-encoded, `-` included.',
    'No event holds a spectrum.',
    '',
    '| event | version | stream | when |',
    '|---|---|---|---|',
    ...entries.map(
      ([type, { version, stream, when }]) =>
        `| [${type}](#${type.toLowerCase()}) | ${version} | \`${stream}\` | ${when} |`,
    ),
    '',
    ...entries.flatMap(([type, { fields }]) => [`## ${type}`, '', ...table(fields), '']),
    '# Shapes',
    '',
    ...Object.entries(shapes).flatMap(([name, fields]) => [`## ${name}`, '', ...table(fields), '']),
  ].join('\n');
}
