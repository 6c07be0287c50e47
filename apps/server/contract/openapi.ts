/** The contract as OpenAPI 3.1. Statuses and texts of refusals come from where they are raised. */

import { type ProblemCode, RETRY_ADVICE } from '../http/problem.js';
import {
  API_KEY,
  header,
  json,
  OPERATOR,
  type Operations,
  ok,
  oneOf,
  pages,
  path,
  query,
  refusal,
  refusals,
  WRITING,
} from './building.js';
import { exampleClaim, exampleClaimForm, exampleKey, exampleKeyForm, exampleLabels } from './examples.js';
import { lotOperations, lotSchemas } from './lots.js';
import { reviewOperations } from './review.js';
import { reviewSchemas } from './review-schemas.js';
import { object, page, ref, rejectTarget, schemas, text } from './schemas.js';
import { serviceSchemas } from './service-schemas.js';

const asOf = query('as_of', { type: 'string', format: 'date-time' }, 'what was live then');
const ofModel = query(
  'model',
  { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  'digest of an installed model; the live one unless told',
);
const rungPath = [path('population', 'the population'), path('reject_target', 'the rung, as 0.98')];
const DECIDING: ProblemCode[] = [...WRITING, 'not_found', 'conflict'];

const operations: Operations = {
  '/': {
    get: {
      summary: 'Where the contract is',
      responses: {
        200: ok(
          'paths',
          object({ service: text('its name'), contract: text('path'), docs: text('path'), ready: text('path') }),
        ),
      },
    },
  },
  '/api/v1': {
    get: {
      summary: 'The contract in short',
      parameters: [header('If-None-Match', 'the ETag of the answer held')],
      responses: { 200: ok('summary', ref('Summary')), 304: { description: 'the answer held is the newest' } },
    },
  },
  '/api/v1/verify-match': {
    post: {
      summary: 'Did this polish come out of that rough?',
      description:
        'Scans as files (multipart) or as numbers (JSON): the same spectra give the same scores, bit for bit. Sending a ' +
        'claim again answers the stored verdict under the same claim_id.',
      security: API_KEY,
      parameters: [
        header('X-Request-Id', 'yours, to be found in logs and events'),
        header('X-Svc-Replay', '1: a replay, with X-Svc-Replay-Key or X-Svc-Admin; no claim history is written'),
        header('X-Svc-Replay-Key', 'the replay token'),
      ],
      requestBody: {
        required: true,
        content: {
          ...json(ref('Claim'), exampleClaim()),
          'multipart/form-data': { schema: ref('ClaimForm'), example: exampleClaimForm() },
        },
      },
      responses: {
        200: ok('the verdict', ref('Verification')),
        ...refusals(
          [
            'credential_api_key',
            'unreadable_multipart',
            'slow_request',
            'too_large',
            'wrong_content_type',
            'compressed',
            'too_many',
            'bodies_full',
            'busy',
          ],
          'claims',
        ),
      },
    },
  },
  '/api/v1/expected': {
    post: {
      summary: 'Label claims with their ground truth',
      description: 'Advisory: labels never move a threshold. Items are answered one by one, in order.',
      security: API_KEY,
      requestBody: { required: true, content: json(ref('Labels'), exampleLabels) },
      responses: {
        200: ok('what became of each item', ref('LabelResults')),
        ...refusals([
          'invalid_json',
          'bad_request',
          'credential_api_key',
          'too_large',
          'wrong_content_type',
          'unprocessable',
          'too_many',
          'busy',
        ]),
      },
    },
  },
  '/api/v1/keys': {
    post: {
      summary: 'Create an API key',
      security: OPERATOR,
      requestBody: {
        required: true,
        content: {
          ...json(ref('NewKey'), exampleKey),
          'multipart/form-data': { schema: ref('NewKey'), example: exampleKeyForm },
        },
      },
      responses: {
        201: ok('the key, told this once', ref('CreatedKey')),
        ...refusals([...WRITING, 'conflict']),
      },
    },
    get: {
      summary: 'List keys',
      security: OPERATOR,
      parameters: pages,
      responses: {
        200: ok('keys by prefix only, oldest first', page('Key')),
        ...refusals(['bad_request', 'credential_operator', 'busy']),
      },
    },
  },
  '/api/v1/keys/{key_prefix}': {
    delete: {
      summary: 'Revoke a key, at once and for good',
      security: OPERATOR,
      parameters: [path('key_prefix', 'the shown prefix, or as much of it as fits one key')],
      responses: {
        200: ok('the key is revoked', ref('RevokedKey')),
        ...refusals(['credential_operator', 'not_found', 'conflict', 'busy']),
      },
    },
  },
  '/api/v1/claims': {
    get: {
      summary: 'The ledger of claims, newest first',
      security: OPERATOR,
      parameters: [
        ...pages,
        query('key', { type: 'string' }, 'name or prefix of the key'),
        query('population', { type: 'string' }, 'population'),
        query('verdict', oneOf('MATCH', 'NO_MATCH'), 'verdict'),
        query('reject_target', rejectTarget, 'rung'),
        query('label', oneOf('match', 'no_match', 'none'), 'ground truth'),
        query('reference', { type: 'string' }, 'stone reference of either side'),
        query('from', { type: 'string', format: 'date-time' }, 'submitted at or after'),
        query('to', { type: 'string', format: 'date-time' }, 'submitted before'),
        query('finding', oneOf('probing', 'multi_pass'), 'claims behind a finding'),
        query('status', oneOf('scored', 'unfinished'), 'unfinished: submitted, and no verdict was stored'),
        query('p_min', { type: 'number', minimum: 0, maximum: 1 }, 'p_match_5050 at least'),
        query('reviewed', oneOf('true', 'false'), 'whether an operator has noted something of the claim'),
        query('as_of', { type: 'string', format: 'date-time' }, 'as the ledger was then'),
      ],
      responses: {
        200: ok('claims', page('ClaimRecord')),
        ...refusals(['bad_request', 'credential_operator', 'busy']),
      },
    },
  },
  '/api/v1/claims/{claim_id}': {
    get: {
      summary: 'One claim with its whole history',
      security: OPERATOR,
      parameters: [path('claim_id', 'the claim')],
      responses: {
        200: ok('the claim', ref('ClaimRecord')),
        ...refusals(['credential_operator', 'not_found', 'busy']),
      },
    },
  },
  '/api/v1/claims/{claim_id}/review': {
    post: {
      summary: 'Note what came of looking at a claim',
      description: 'An annotation: nothing of the claim changes. With reviewed=false the ledger leaves it out.',
      security: OPERATOR,
      parameters: [path('claim_id', 'the claim')],
      requestBody: { required: true, content: json(ref('Review'), { note: 'measured anew: the same stone' }) },
      responses: {
        200: ok('the claim', ref('ClaimRecord')),
        ...refusals([...WRITING, 'not_found']),
      },
    },
  },
  '/api/v1/calibration': {
    get: {
      summary: 'Ladders of all populations, with proposals',
      security: OPERATOR,
      parameters: [...pages, ofModel],
      responses: {
        200: ok('populations by name', page('Calibration')),
        ...refusals(['bad_request', 'credential_operator', 'not_found', 'busy']),
      },
    },
  },
  '/api/v1/calibration/{population}': {
    get: {
      summary: 'The ladder of a population, with proposals',
      description: 'With as_of the answer is that of /history.',
      security: OPERATOR,
      parameters: [path('population', 'the population'), asOf, ofModel],
      responses: {
        200: ok('rungs from 0.99 to 0.90', { oneOf: [ref('Calibration'), ref('CalibrationHistory')] }),
        ...refusals(['bad_request', 'credential_operator', 'not_found', 'busy']),
      },
    },
  },
  '/api/v1/calibration/{population}/history': {
    get: {
      summary: 'Who decided what, and what was live at a time',
      security: OPERATOR,
      parameters: [path('population', 'the population'), asOf, ofModel],
      responses: {
        200: ok('decisions and what was live', ref('CalibrationHistory')),
        ...refusals(['bad_request', 'credential_operator', 'not_found', 'busy']),
      },
    },
  },
  '/api/v1/calibration/{population}/audit.zip': {
    get: {
      summary: 'What the approvals of a population rest on, as one zip',
      description:
        'Decisions, claims, vectors, events, hashes, a report and verify.mjs, which recomputes every threshold.',
      security: OPERATOR,
      parameters: [path('population', 'the population')],
      responses: {
        200: {
          description: 'the bundle',
          content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
        },
        ...refusals(['credential_operator', 'not_found', 'busy']),
      },
    },
  },
  '/api/v1/calibration/{population}/rungs/{reject_target}/approve': {
    post: {
      summary: 'Let the population’s own threshold decide at a rung',
      description:
        'Names the proposal that the operator saw. Newer claims leave it standing; an approval, a withdrawal or a change ' +
        'of model does not. Counts for requests that begin after the answer, on every replica.',
      security: OPERATOR,
      parameters: rungPath,
      requestBody: { required: true, content: json(ref('Approval')) },
      responses: { 200: ok('the rung as it stands', ref('CalibratedRung')), ...refusals(DECIDING) },
    },
  },
  '/api/v1/calibration/{population}/rungs/{reject_target}/withdraw': {
    post: {
      summary: 'Return a rung to the shipped default',
      security: OPERATOR,
      parameters: rungPath,
      requestBody: { required: true, content: json(ref('Withdrawal')) },
      responses: { 200: ok('the rung as it stands', ref('CalibratedRung')), ...refusals(DECIDING) },
    },
  },
  '/api/v1/calibration/{population}/rungs/{reject_target}/dry-run': {
    post: {
      summary: 'Which past claims a threshold would have decided otherwise',
      security: OPERATOR,
      parameters: rungPath,
      requestBody: { required: false, content: json(ref('Trial')) },
      responses: { 200: ok('the claims that change', ref('DryRun')), ...refusals(DECIDING) },
    },
  },
  '/api/v1/model': {
    get: {
      summary: 'Which model decides, which scores beside, and what a switch would cost',
      security: OPERATOR,
      responses: { 200: ok('the models', ref('Models')), ...refusals(['credential_operator', 'busy']) },
    },
  },
  '/api/v1/model/switch': {
    post: {
      summary: 'Make another installed model the live one',
      description:
        'Counts for requests that begin after the answer, on every replica; the same command switches back. Refused while ' +
        'a scoring worker lacks the model, and where populations would lose an approved rung, unless the operator accepts ' +
        'that.',
      security: OPERATOR,
      requestBody: { required: true, content: json(ref('ModelSwitch')) },
      responses: { 200: ok('the models as they stand', ref('Models')), ...refusals(DECIDING) },
    },
  },
  ...reviewOperations,
  ...lotOperations,
  '/metrics': {
    get: {
      summary: 'Metrics of this process for Prometheus',
      security: OPERATOR,
      responses: {
        200: { description: 'text exposition format', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...refusals(['credential_operator']),
      },
    },
  },
  '/health/live': {
    get: { summary: 'Is the process up?', responses: { 200: ok('yes', ref('Liveness')) } },
  },
  '/health/ready': {
    get: {
      summary: 'Would a claim be served now?',
      responses: {
        200: ok('yes', ref('Readiness')),
        503: {
          ...refusal(503, ['not_ready']),
          description: 'no; detail and parts say why',
          content: json({ allOf: [ref('Problem'), ref('Readiness')] }),
        },
      },
    },
  },
  '/health/detail': {
    get: {
      summary: 'What stands behind readiness: log, disk, queue, views, models, for operators',
      security: OPERATOR,
      responses: { 200: ok('each part', ref('HealthDetail')), ...refusals(['credential_operator']) },
    },
  },
};

export function openApi(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Match verification',
      version,
      description:
        'Decides from infrared absorbance scans whether a polished diamond came out of a claimed rough. Every refusal has ' +
        `\`detail\` for people and \`code\` for programs, which stays as it is. ${RETRY_ADVICE}`,
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      Object.entries(operations).map(([route, methods]) => [
        route,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method,
            { operationId: operationId(method, route), security: [], ...operation },
          ]),
        ),
      ]),
    ),
    components: {
      schemas: { ...schemas, ...reviewSchemas, ...serviceSchemas, ...lotSchemas },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'issued by the operator' },
        operator: { type: 'apiKey', in: 'header', name: 'X-Svc-Admin', description: 'operator key' },
        workspace: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Svc-Token',
          description: 'token of a workspace: lots only',
        },
      },
    },
  };
}

const operationId = (method: string, route: string) =>
  route === '/'
    ? `${method}_root`
    : `${method}_${route.replace(/[{}]/g, '').split('/').filter(Boolean).join('_')}`.replaceAll('-', '_');
