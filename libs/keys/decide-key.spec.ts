import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { testOf } from '#domain/test/given';
import {
  apiKeys,
  barredBy,
  type CredentialCommand,
  credentialDecider,
  credentialId,
  formatCredential,
  formerCredentialId,
  type NewKey,
  parseCredential,
} from './decide.js';
import { cleanName, type KeyEvent, shownPrefix, WITHOUT_END } from './events.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const id = credentialId(sha256, 'lab-a');
const wanted: NewKey = { name: 'lab-a', kind: 'production' };
const create = {
  type: 'create' as const,
  wanted,
  id,
  secretSha256: 'ab',
  operator: 'anna',
  at: 'T1',
};
const created: KeyEvent = {
  type: 'KeyCreated',
  version: 2,
  data: {
    key: { id, name: 'lab-a', kind: 'production', population: 'lab-a' },
    secret_sha256: 'ab',
    life: WITHOUT_END,
    operator: 'anna',
    at: 'T1',
  },
};
const revoked: KeyEvent = { type: 'KeyRevoked', version: 1, data: { key_id: id, operator: 'ben', at: 'T2' } };
const parse = (text: string) => parseCredential(apiKeys.marks, text);
const { given, logOf } = testOf(credentialDecider(apiKeys));

describe('API key', () => {
  it('given nothing, when created, then it is active in a population of its own', () => {
    expect(given().when(create)).toEqual({ events: [created] });
    expect(given(created).state).toMatchObject({
      status: 'active',
      secretSha256: 'ab',
      owner: { population: 'lab-a' },
    });
  });

  it('given nothing, when created for a population, then it belongs to that one', () => {
    const decided = given().when({ ...create, wanted: { ...wanted, population: ' parcel 7 ', kind: 'test' } });
    expect(decided).toMatchObject({ events: [{ data: { key: { population: 'parcel 7', kind: 'test' } } }] });
  });

  it.each([
    ['active', [created]],
    ['revoked', [created, revoked]],
  ])('given an %s key, when its name is asked for again, then it is taken', (_, events) => {
    expect(given(...events).when(create)).toEqual({ refusal: 'name_taken' });
  });

  it.each(['', '   ', 'a'.repeat(65), 'line\nbreak', 'nul\u0000', 'lone\ud800', 'invisible\u200b'])(
    'refuses the name %j',
    (name) => {
      expect(given().when({ ...create, wanted: { ...wanted, name } })).toEqual({ refusal: 'invalid_name' });
      expect(given().when({ ...create, wanted: { ...wanted, population: name } })).toEqual({
        refusal: 'invalid_population',
      });
    },
  );

  it('given an active key, when revoked, then nothing of its secret is left in the state', () => {
    expect(given(created).when({ type: 'revoke', operator: 'ben', at: 'T2' })).toEqual({ events: [revoked] });
    expect(given(created, revoked).state).toMatchObject({ status: 'revoked', revokedBy: 'ben', revokedAt: 'T2' });
    expect(given(created, revoked).state).not.toHaveProperty('secretSha256');
  });

  it('given an active key, when its revocation begins, then nothing of its secret is left, and it is still to be revoked', () => {
    const act = { operator: 'ben', at: 'T2' };
    const began: KeyEvent = { type: 'KeyRevocationBegan', version: 1, data: { key_id: id, ...act } };
    expect(given(created).when({ type: 'begin_revocation', ...act })).toEqual({ events: [began] });
    const ending = given(created, began);
    expect(ending.state).toEqual({ status: 'ending', owner: expect.anything(), createdAt: 'T1', createdBy: 'anna' });
    expect(ending.when({ type: 'begin_revocation', ...act })).toEqual({ events: [] });
    expect(ending.when(create)).toEqual({ refusal: 'name_taken' });
    expect(ending.when({ type: 'revoke', ...act })).toEqual({ events: [revoked] });
    expect(given(created, began, revoked).state).toEqual(given(created, revoked).state);
    expect(given(created, revoked).when({ type: 'begin_revocation', ...act })).toEqual({ events: [] });
    expect(given().when({ type: 'begin_revocation', ...act })).toEqual({ refusal: 'unknown' });
  });

  it('given a revoked key, when revoked again, then nothing happens; given none, it is unknown', () => {
    expect(given(created, revoked).when({ type: 'revoke', operator: 'ben', at: 'T3' })).toEqual({ events: [] });
    expect(given().when({ type: 'revoke', operator: 'ben', at: 'T3' })).toEqual({ refusal: 'unknown' });
  });

  it('given a key, when its life is changed, then what is not named stays, and nothing new is no event', () => {
    const act = { operator: 'ben', at: '2026-11-20T00:00:00.000Z' };
    const life = { ...WITHOUT_END, paused: true };
    const paused: KeyEvent = { type: 'KeyChanged', version: 1, data: { key_id: id, life, ...act } };
    expect(given(created).when({ type: 'change', to: { paused: true }, ...act })).toEqual({ events: [paused] });
    expect(given(created, paused).when({ type: 'change', to: { paused: true }, ...act })).toEqual({ events: [] });
    expect(given(created, paused).when({ type: 'change', to: { rate: 5 }, ...act })).toMatchObject({
      events: [{ data: { life: { ...life, rate: 5 } } }],
    });
    expect(given(created, revoked).when({ type: 'change', to: {}, ...act })).toEqual({ refusal: 'revoked' });
    expect(given().when({ type: 'change', to: {}, ...act })).toEqual({ refusal: 'unknown' });
  });

  it.each(['2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z', '2036-11-21T00:00:00.000Z', '9999-12-31T00:00:00Z'])(
    'ends neither in the past nor after ten years: %s',
    (expires_at) => {
      const at = '2026-11-20T00:00:00.000Z';
      expect(given(created).when({ type: 'change', to: { expires_at }, operator: 'ben', at })).toEqual({
        refusal: 'invalid_end',
      });
      expect(given().when({ ...create, at, wanted: { ...wanted, life: { expires_at } } })).toEqual({
        refusal: 'invalid_end',
      });
    },
  );

  it('opens nothing from its end on, nor while it is paused', () => {
    const life = { ...WITHOUT_END, expires_at: '2026-11-20T00:00:00.000Z' };
    expect(barredBy(life, '2026-11-19T23:59:59.999Z')).toBeUndefined();
    expect(barredBy(life, '2026-11-20T00:00:00.000Z')).toBe('expired');
    expect(barredBy({ ...WITHOUT_END, paused: true }, '2026-11-20T00:00:00.000Z')).toBe('paused');
  });

  it('keeps its invariants under any sequence of commands', () => {
    const command: fc.Arbitrary<CredentialCommand<NewKey>> = fc.oneof(
      fc
        .record({ name: fc.string(), secretSha256: fc.string() })
        .map(({ name, secretSha256 }) => ({ ...create, wanted: { ...wanted, name }, secretSha256 })),
      fc.record({
        type: fc.constantFrom('begin_revocation' as const, 'revoke' as const),
        operator: fc.string(),
        at: fc.string(),
      }),
    );
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        const log = logOf(commands);
        expect(log.map(({ type }) => type).join()).toMatch(/^(KeyCreated(,KeyRevocationBegan)?(,KeyRevoked)?)?$/);
      }),
    );
  });

  it('takes its id from the look of its name', () => {
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(credentialId(sha256, ' lab-a ')).toBe(id);
    expect(credentialId(sha256, 'ma\u0308x')).toBe(credentialId(sha256, 'm\u00e4x'));
    for (const alike of ['Lab-A', 'LAB-A', '\uff4c\uff41\uff42\uff0d\uff41', '\uff2c\uff21\uff22-\uff21'])
      expect(credentialId(sha256, alike)).toBe(id);
    expect(credentialId(sha256, 'STRASSE')).toBe(credentialId(sha256, 'stra\u00dfe'));
    for (const other of ['lab-b', 'lab a', 'laba', 'l\u00e4b-a']) expect(credentialId(sha256, other)).not.toBe(id);
    expect([formerCredentialId(sha256, 'lab-a'), formerCredentialId(sha256, 'Lab-A') === id]).toEqual([id, false]);
    expect(cleanName(' ma\u0308x ')).toBe('m\u00e4x');
  });

  it('is written and read back, and shown without its secret', () => {
    const secret = 'A'.repeat(43);
    for (const kind of ['production', 'test'] as const) {
      const prefix = shownPrefix({ id, kind });
      expect(parse(formatCredential(prefix, secret))).toEqual({ prefix, id, secret });
    }
    expect(shownPrefix({ id, kind: 'production' })).toBe(`mvs_live_${id}`);
    expect(shownPrefix({ id, kind: 'test' })).toBe(`mvs_test_${id}`);
  });

  it('reads nothing else as a key', () => {
    const full = formatCredential(shownPrefix({ id, kind: 'production' }), 'A'.repeat(43));
    for (const text of [
      '',
      `${full} `,
      `${full}A`,
      full.slice(0, -1),
      full.toUpperCase(),
      full.replace('live', 'prod'),
      full.replace('live', 'lots'),
    ]) {
      expect(parse(text)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => parse(text) === undefined));
  });
});
