/** The lot product: workspaces, as operators see them, and lots, as holders of a token do. */
import { limits } from '#config';
import { LEAST_SCANS, LOT_STONES, MAX_SOURCES, MOST_SUBSTITUTION, RETURNED_STONES, SESSION_TYPES } from '#lots';
import type { ErrorCode } from '../http/problem.js';
import { header, json, OPERATOR, type Operations, ok, pages, path, refusals, WORKSPACE, WRITING } from './building.js';
import { flag, list, number, object, orNull, page, ref, type Schema, text, time, whole } from './schemas.js';

const prefix = text('as listings show it', { pattern: '^mvs_lots_[0-9a-f]{16}$' });

const lotId = text('the lot’s', { pattern: '^lot_[0-9a-f]{32}$' });
const model = text('digest of the lot model', { pattern: '^[0-9a-f]{64}$' });
const boundsVersion = text('version of GET /api/lotscan/bounds that the answer rests on');
const sessionType: Schema = { type: 'string', enum: [...SESSION_TYPES], description: 'how the stones lay' };
const sessionSource: Schema = {
  type: 'string',
  enum: ['declared', 'estimated'],
  description: 'estimated from the scans where the caller does not say',
};
const pair = object({ a: text('a member'), b: text('another') });
const share = { minimum: 0, maximum: 1 };
const interval = list(number('share', share), { minItems: 2, maxItems: 2, description: '95%' });
const measuredShare = object({ share: number('on simulated lots', share), interval });
const warnings = list(text('what is no fault and yet to be known: log it'));
const scope = text('what the answer says and does not: keep it with the result');
const files = list(
  text('.dpt, .csv, .txt, OPUS .0, or a .zip of these, named <stone>_<number>', { format: 'binary' }),
  {
    minItems: 1,
  },
);
const counts = object({
  returned: whole('stones'),
  confirmed: whole('of these'),
  not_confirmed: whole('of these'),
  members_unaccounted: whole('members that no returned stone is confirmed as'),
});
const told = {
  lot_id: lotId,
  name: text('as the workspace calls it'),
  stones: list(object({ stone: text('the member'), scans: whole('scans used') })),
  session_type: sessionType,
  session_type_source: sessionSource,
  twins: list(pair, { description: 'members too alike to be told apart: a swap between them is invisible' }),
  warnings,
  model,
  bounds_version: boundsVersion,
  enrolled_at: time('when'),
};
/** What was measured stands beside the model: its members are the report's. */
const asMeasured: Schema = { type: 'object', description: 'what was counted', additionalProperties: true };

export const lotSchemas: Record<string, Schema> = {
  LotBounds: object({
    version: text('a change of any bound or exclusion is a new one'),
    stamped: text('date of the stamp'),
    specified: {
      type: 'object',
      description: 'the product’s bounds and exclusions; none of them was measured by this implementation',
      additionalProperties: true,
    },
    measured: orNull(
      object(
        {
          simulated: { const: true, description: 'simulated lots, no real stones' },
          note: text('what it is'),
          model,
          seed: whole('of the parcels'),
          scans: whole('of every stone and visit'),
          cells: list(asMeasured),
          rehearsal: list(asMeasured),
        },
        [],
        { description: 'what this implementation measured; null where nothing was measured with its model' },
      ),
    ),
    model,
    scope,
  }),
  LotForm: object(
    { name: text('unique in the workspace', { minLength: 1, maxLength: 64 }), files, session_type: sessionType },
    ['session_type'],
  ),
  ReturnForm: object({ files, session_type: sessionType }, ['session_type']),
  Lot: object(told),
  LotWithChecks: object({
    ...told,
    check_count: whole('all of them'),
    checks: list(
      object({
        check_id: text('the check'),
        session_type: sessionType,
        counts,
        not_confirmed: list(text('returned stone')),
        checked_at: time('when'),
      }),
      { maxItems: 100, description: 'the latest, newest first' },
    ),
  }),
  LotSummary: object({
    lot_id: lotId,
    name: text('as the workspace calls it'),
    stones: whole('members'),
    session_type: sessionType,
    enrolled_at: time('when'),
    checks: whole('made of it'),
  }),
  LotCheck: object({
    check_id: text('the same return of the same lot has the same one', { pattern: '^chk_[0-9a-f]{32}$' }),
    lot_id: lotId,
    session_type: sessionType,
    session_type_source: sessionSource,
    stones: list(
      object({
        stone: text('returned stone, as its files are named'),
        scans: whole('scans used'),
        confirmed: flag('whether it is confirmed as a member; not confirmed is neither foreign nor absent'),
        member: orNull(text('as which')),
        score: number('against that member, else against the likest'),
        bar: number('what the score has to exceed'),
        margin: number('score less bar; above 0 and not confirmed: another stone resembles that member more'),
      }),
    ),
    members: list(
      object({
        stone: text('the member'),
        accounted: flag('whether a returned stone is confirmed as it'),
        by: orNull(text('which')),
      }),
    ),
    counts,
    false_accept: object({
      label: number('one-stone rate that the bar is labelled with', share),
      measured: orNull({ ...measuredShare, description: 'as measured on simulated lots like this one' }),
    }),
    warnings,
    scope,
    bounds_version: boundsVersion,
    checked_at: time('when it was first checked'),
  }),
  RehearsalWish: object(
    {
      substitution: number('share of the places to vacate', { minimum: 0, maximum: MOST_SUBSTITUTION, default: 0.2 }),
      seed: whole('of the draws', { minimum: 0, maximum: 2 ** 32 - 1, default: 1 }),
      draws: whole('how many', { minimum: 1, maximum: 2000, default: 200 }),
      source: {
        oneOf: [{ const: 'cohort' }, list(lotId, { minItems: 1, maxItems: MAX_SOURCES, uniqueItems: true })],
        default: 'cohort',
        description: 'whose stones are offered: the model’s cohort, or lots of the same workspace',
      },
    },
    ['substitution', 'seed', 'draws', 'source'],
  ),
  Rehearsal: object({
    rehearsal_id: text('the same wish of the same lot has the same one', { pattern: '^reh_[0-9a-f]{32}$' }),
    lot_id: lotId,
    substitution: number('share', share),
    draws: whole('how many'),
    seed: whole('of the draws'),
    source: { oneOf: [{ const: 'cohort' }, list(lotId)] },
    vacated: whole('places vacated a draw'),
    offered: whole('substitutes in all draws'),
    caught: object({ count: whole('not confirmed'), share: number('of those offered', share), interval }),
    one_stone_false_accept: number('share of single substitutes that some member would confirm', share),
    falsely_matched: list(object({ stone: text('member'), times: whole('draws') }), {
      description: 'members that substitutes were confirmed as most often',
    }),
    invisible_swaps: list(pair),
    cohort_flatters_by: orNull(number('share caught of the cohort less that of the lots named; null without such')),
    notes: list(text('how to read it')),
    scope,
    bounds_version: boundsVersion,
    rehearsed_at: time('when it was first rehearsed'),
  }),

  NewWorkspace: object({ name: text('1 to 64 printable characters; it stays taken', { minLength: 1, maxLength: 64 }) }),
  CreatedWorkspace: object({
    name: text('its name'),
    token: text('for X-Svc-Token; told this once'),
    note: text('a reminder to store it'),
  }),
  Workspace: object({
    name: text('its name'),
    prefix,
    status: { type: 'string', enum: ['active', 'revoked'] },
    created_at: time('when'),
    created_by: text('operator'),
    revoked_at: orNull(time('when')),
    revoked_by: orNull(text('operator')),
    last_used_at: orNull(time('when a lot was last enrolled, checked or rehearsed')),
  }),
  RevokedWorkspace: object({
    name: text('its name'),
    prefix,
    status: { type: 'string', enum: ['revoked'] },
    revoked_at: time('when'),
    revoked_by: text('operator'),
  }),
};

const newWorkspace = { name: 'trader' };

const ofLot = [path('lot_id', 'the lot')];
const REQUEST_ID = header('X-Request-Id', 'yours, to be found in logs and events');
/** Codes of every refusal of what a holder of a token uploads. */
const UPLOADING: ErrorCode[] = [
  ...(['credential_workspace', 'no_threshold', 'bad_request', 'unreadable_multipart', 'slow_request'] as const),
  ...(['too_large', 'wrong_content_type', 'compressed', 'unprocessable', 'too_many', 'bodies_full', 'busy'] as const),
  ...(['unparseable', 'non_finite', 'flat', 'no_identity', 'stone_name', 'stone_count', 'stone_scans'] as const),
];
const READING: ErrorCode[] = ['credential_workspace', 'too_many', 'busy'];

export const lotOperations: Operations = {
  '/api/lotscan/bounds': {
    get: {
      summary: 'What may be claimed of a lot check, with every exclusion',
      description:
        'The one source of the numbers that other answers quote. What was specified and what was measured are kept apart.',
      security: WORKSPACE,
      responses: { 200: ok('the bounds', ref('LotBounds')), ...refusals(READING) },
    },
  },
  '/api/lotscan/lots': {
    post: {
      summary: 'Enrol a lot',
      description:
        `${LOT_STONES.least} to ${LOT_STONES.most} stones with at least ${LEAST_SCANS} scans each, ${limits.lotScans} scans in all. A file belongs to ` +
        'the stone that its name has before the last _<number>. The same files under the same name are the same lot; a ' +
        'name stays with its files.',
      security: WORKSPACE,
      parameters: [REQUEST_ID],
      requestBody: { required: true, content: { 'multipart/form-data': { schema: ref('LotForm') } } },
      responses: {
        200: ok('the lot as it was enrolled before', ref('Lot')),
        201: ok('the lot', ref('Lot')),
        ...refusals([...UPLOADING, 'conflict'], 'lots'),
      },
    },
    get: {
      summary: 'List the workspace’s lots',
      security: WORKSPACE,
      parameters: pages,
      responses: { 200: ok('lots, newest first', page('LotSummary')), ...refusals([...READING, 'bad_request']) },
    },
  },
  '/api/lotscan/lots/{lot_id}': {
    get: {
      summary: 'A lot and its checks',
      security: WORKSPACE,
      parameters: ofLot,
      responses: { 200: ok('the lot', ref('LotWithChecks')), ...refusals([...READING, 'not_found']) },
    },
  },
  '/api/lotscan/lots/{lot_id}/check': {
    post: {
      summary: 'Which stones of a returned lot are members?',
      description:
        `${RETURNED_STONES.least} to ${RETURNED_STONES.most} stones with at least ${LEAST_SCANS} scans each; there may be more than members. Each ` +
        'member is confirmed at most once. Sending the same return again answers the same check.',
      security: WORKSPACE,
      parameters: [...ofLot, REQUEST_ID],
      requestBody: { required: true, content: { 'multipart/form-data': { schema: ref('ReturnForm') } } },
      responses: {
        200: ok('stone by stone, and member by member', ref('LotCheck')),
        ...refusals([...UPLOADING, 'enrolment_files', 'not_found', 'conflict'], 'lots'),
      },
    },
  },
  '/api/lotscan/lots/{lot_id}/rehearse': {
    post: {
      summary: 'What of a substitution on this lot would be caught?',
      description: 'The same seed, the same answer. Genuine members are not rehearsed.',
      security: WORKSPACE,
      parameters: ofLot,
      requestBody: { required: false, content: json(ref('RehearsalWish'), { substitution: 0.2, seed: 7 }) },
      responses: {
        200: ok('what would be caught', ref('Rehearsal')),
        ...refusals(
          [
            ...READING,
            'no_threshold',
            'invalid_json',
            'too_large',
            'wrong_content_type',
            'unprocessable',
            'not_found',
            'conflict',
          ],
          'lots',
        ),
      },
    },
  },
  '/api/lotscan/workspaces': {
    post: {
      summary: 'Create a workspace of the lot product',
      security: OPERATOR,
      requestBody: {
        required: true,
        content: {
          ...json(ref('NewWorkspace'), newWorkspace),
          'multipart/form-data': { schema: ref('NewWorkspace'), example: { name: 'another trader' } },
        },
      },
      responses: {
        201: ok('its token, told this once', ref('CreatedWorkspace')),
        ...refusals([...WRITING, 'conflict']),
      },
    },
    get: {
      summary: 'List workspaces',
      security: OPERATOR,
      parameters: pages,
      responses: {
        200: ok('workspaces with their tokens’ prefixes, oldest first', page('Workspace')),
        ...refusals(['bad_request', 'credential_operator', 'busy']),
      },
    },
  },
  '/api/lotscan/workspaces/{token_prefix}': {
    delete: {
      summary: 'Revoke a workspace’s token, at once and for good',
      security: OPERATOR,
      parameters: [path('token_prefix', 'the shown prefix, or as much of it as fits one token')],
      responses: {
        200: ok('the token is revoked', ref('RevokedWorkspace')),
        ...refusals(['credential_operator', 'not_found', 'conflict', 'busy']),
      },
    },
  },
};
