import { testOf } from '#domain/test/given';
import { credentialDecider, formatCredential, parseCredential, workspaces } from './decide.js';
import { tokenPrefix, type WorkspaceEvent } from './events.js';

const id = '00ff00ff00ff00ff';
const create = {
  type: 'create' as const,
  wanted: { name: ' trader ' },
  id,
  secretSha256: 'ab',
  operator: 'anna',
  at: 'T1',
};
const created: WorkspaceEvent = {
  type: 'WorkspaceCreated',
  version: 1,
  data: { workspace: { id, name: 'trader' }, secret_sha256: 'ab', operator: 'anna', at: 'T1' },
};
const revoked: WorkspaceEvent = {
  type: 'WorkspaceRevoked',
  version: 1,
  data: { workspace: { id, name: 'trader' }, operator: 'ben', at: 'T2' },
};
const { given } = testOf(credentialDecider(workspaces));

describe('workspace', () => {
  it('is created by one event, once, whatever became of it', () => {
    expect(given().when(create)).toEqual({ events: [created] });
    expect(given(created).when(create)).toEqual({ refusal: 'name_taken' });
    expect(given(created, revoked).when(create)).toEqual({ refusal: 'name_taken' });
  });

  it.each(['', '  ', 'a\nb', 'x'.repeat(65), '\ud800'])('refuses the name %j', (name) => {
    expect(given().when({ ...create, wanted: { name } })).toEqual({ refusal: 'invalid_name' });
  });

  it('is revoked once, and nothing of its secret is left in the state', () => {
    const revoke = { type: 'revoke' as const, operator: 'ben', at: 'T2' };
    expect(given().when(revoke)).toEqual({ refusal: 'unknown' });
    expect(given(created).when(revoke)).toEqual({ events: [revoked] });
    expect(given(created, revoked).when(revoke)).toEqual({ events: [] });
    expect(JSON.stringify(given(created, revoked).state)).not.toContain('ab"');
  });

  it('records a use at most once an hour, and none once it is revoked', () => {
    const use = (hhmm: string) => ({ type: 'use' as const, at: `2026-11-22T${hhmm}:00.000Z` });
    const usedAt = (hhmm: string): WorkspaceEvent => ({
      type: 'WorkspaceUsed',
      version: 1,
      data: { workspace: { id, name: 'trader' }, at: use(hhmm).at },
    });
    expect(given().when(use('10:00'))).toEqual({ events: [] });
    expect(given(created).when(use('10:00'))).toEqual({ events: [usedAt('10:00')] });
    expect(given(created, usedAt('10:00')).when(use('10:59'))).toEqual({ events: [] });
    expect(given(created, usedAt('10:00')).when(use('11:00'))).toEqual({ events: [usedAt('11:00')] });
    expect(given(created, revoked).when(use('11:00'))).toEqual({ events: [] });
  });

  it('has a token that is written and read back, and read from nothing else', () => {
    const secret = 'A'.repeat(43);
    const prefix = tokenPrefix(id);
    const parse = (text: string) => parseCredential(workspaces.marks, text);
    const token = formatCredential(prefix, secret);
    expect(parse(token)).toEqual({ prefix, id, secret });
    for (const text of ['', `${token} `, token.slice(1), token.slice(0, -1), token.replace('lots', 'live')])
      expect(parse(text)).toBeUndefined();
  });
});
