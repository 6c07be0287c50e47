/** What operators review: findings, telemetry, the state of the views. */
import { WARNING_KINDS } from '#matching';
import { TAGS } from '#views';
import { json, OPERATOR, type Operations, ok, oneOf, pages, path, query, refusals, WRITING } from './building.js';
import { object, page, ref } from './schemas.js';

const calls = [
  query('from', { type: 'string', format: 'date-time' }, 'ended at or after'),
  query('to', { type: 'string', format: 'date-time' }, 'ended before'),
  query('population', { type: 'string' }, 'population'),
  query('key', { type: 'string' }, 'name or prefix of the key'),
  query('key_kind', oneOf('production', 'test'), 'test keys apart'),
];

export const reviewOperations: Operations = {
  '/api/telemetry/summary': {
    get: {
      summary: 'Calls of a window: statuses, verdicts, warnings, latency, scores, gauges, findings, labels, queue',
      description: 'The last 24 hours unless told. Replays are counted apart, repeats are no second verdict.',
      security: OPERATOR,
      parameters: calls,
      responses: {
        200: ok('the window', ref('TelemetrySummary')),
        ...refusals(['bad_request', 'credential_operator', 'busy']),
      },
    },
  },
  '/api/telemetry/events': {
    get: {
      summary: 'Records of calls, refused ones too, latest first',
      description:
        'With `Accept: application/x-ndjson` one record a line, and the next page’s cursor in X-Next-Cursor. Calls refused ' +
        'for their credential or rate are one record a minute and reason, with their count.',
      security: OPERATOR,
      parameters: [
        ...pages,
        ...calls,
        query('tag', oneOf(...TAGS), 'verify_match_replay: replays'),
        query('status', { type: 'integer' }, 'HTTP status'),
        query('reason', { type: 'string' }, 'kind of the refusal'),
        query('verdict', oneOf('MATCH', 'NO_MATCH'), 'verdict'),
        query('warning', oneOf(...WARNING_KINDS), 'kind of a warning'),
        query('claim_id', { type: 'string' }, 'the claim'),
        query('request_id', { type: 'string' }, 'the request'),
      ],
      responses: {
        200: ok('records', page('TelemetryRecord')),
        ...refusals(['bad_request', 'credential_operator', 'busy']),
      },
    },
  },
  '/api/v1/findings': {
    get: {
      summary: 'Findings for review, latest first',
      description:
        'probing: claims on one polish against two or more roughs, by one key or, as evidence of its own, by the ' +
        'production keys of a population together; multi_pass: more than one confirmed rough for it, by the same. One ' +
        'finding of a kind for each polish, whose scan sets are told by digest, stone reference and nearly identical ' +
        'vectors. They never change an answer.',
      security: OPERATOR,
      parameters: [
        ...pages,
        query('kind', oneOf('probing', 'multi_pass'), 'kind'),
        query('key', { type: 'string' }, 'name or prefix of a key behind it'),
        query('key_kind', oneOf('production', 'test'), 'test keys are counted apart'),
        query('population', { type: 'string' }, 'population'),
        query('status', oneOf('open', 'reviewed'), 'reviewed: nothing came to it since an operator reviewed it'),
        query('breach', oneOf('true', 'false'), 'a panel of roughs probed with a production key'),
        query('reference', { type: 'string' }, 'stone reference of the polish'),
        query('from', { type: 'string', format: 'date-time' }, 'opened at or after'),
        query('to', { type: 'string', format: 'date-time' }, 'opened before'),
      ],
      responses: {
        200: ok('findings, each with its latest 100 claims', page('Finding')),
        ...refusals(['bad_request', 'credential_operator', 'busy']),
      },
    },
  },
  '/api/v1/findings/{id}': {
    get: {
      summary: 'One finding with its latest 1,000 claims',
      security: OPERATOR,
      parameters: [path('id', 'the finding')],
      responses: { 200: ok('the finding', ref('Finding')), ...refusals(['credential_operator', 'not_found', 'busy']) },
    },
  },
  '/api/v1/findings/{id}/review': {
    post: {
      summary: 'Mark a finding as reviewed',
      description: 'What comes to the finding afterwards opens it again.',
      security: OPERATOR,
      parameters: [path('id', 'the finding')],
      requestBody: { required: true, content: json(ref('Review'), { note: 'two roughs of one parcel were mixed up' }) },
      responses: {
        200: ok('the finding as it stands now', ref('Finding')),
        ...refusals([...WRITING, 'not_found']),
      },
    },
  },
  '/api/v1/drift': {
    get: {
      summary: 'Recent claims of each population against its baseline',
      description:
        'Score and gauges of windows of claims by production keys, held against the claims behind the newest approval, or ' +
        'the shipped asset. A window of an unchanged population alarms less than once in a hundred. An alarm changes no answer.',
      security: OPERATOR,
      parameters: [...pages, query('population', { type: 'string' }, 'population')],
      responses: {
        200: ok('populations by name', page('Drift')),
        ...refusals(['bad_request', 'credential_operator', 'busy']),
      },
    },
  },
  '/api/v1/hygiene': {
    get: {
      summary: 'Faults of practice that no single claim shows, each with what it means and what to do',
      security: OPERATOR,
      responses: { 200: ok('every check', ref('Hygiene')), ...refusals(['credential_operator', 'busy']) },
    },
  },
  '/api/v1/views': {
    get: {
      summary: 'The read models: how far each is, and where one has stopped',
      security: OPERATOR,
      responses: {
        200: ok('views', object({ views: { type: 'array', items: ref('View') } })),
        ...refusals(['credential_operator']),
      },
    },
  },
  '/api/v1/views/skip': {
    post: {
      summary: 'Let the views pass over an event that they cannot take',
      description: 'The decision is an event, with the operator and the reason.',
      security: OPERATOR,
      requestBody: {
        required: true,
        content: json(ref('Skip'), { position: '4711', reason: 'written by a version that was taken back' }),
      },
      responses: {
        200: ok('the event is passed over', ref('Skipped')),
        ...refusals([...WRITING, 'not_found']),
      },
    },
  },
};
