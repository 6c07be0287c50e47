/** The lot product: workspaces, as operators see them. */
import { json, OPERATOR, type Operations, ok, pages, path, refusals, WRITING } from './building.js';
import { object, orNull, page, ref, type Schema, text, time } from './schemas.js';

const prefix = text('as listings show it', { pattern: '^mvs_lots_[0-9a-f]{16}$' });

export const lotSchemas: Record<string, Schema> = {
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

export const lotOperations: Operations = {
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
