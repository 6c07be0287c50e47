import { type EventIn, event, type StreamRule } from '../catalogue-entry.js';
import { never } from '../decider.js';
import { described } from '../members.js';
import { aDigest, aKey, anId, at, operator } from '../shapes.js';
import { streams } from '../streams.js';
import { activeCredential, type CredentialKind, cleanName, endedCredential } from './credential.js';

const keyStream: StreamRule<{ key: { id: string } } | { key_id: string }> = {
  name: 'key-{key id}',
  is: (stream, data) => stream === streams.key('key' in data ? data.key.id : data.key_id),
};

/** Events of keys. */
export const keyEvents = {
  KeyCreated: event(1, keyStream, 'an operator created a key; this reserves its name for good', {
    key: described(aKey, 'the key ([key](#key))'),
    secret_sha256: described(aDigest, "SHA-256 of the key's secret, hex"),
    operator,
    at,
  }),
  KeyRevoked: event(1, keyStream, 'an operator revoked it', { key_id: described(anId, 'the key'), operator, at }),
};

export type KeyCreated = EventIn<typeof keyEvents, 'KeyCreated'>;
export type KeyRevoked = EventIn<typeof keyEvents, 'KeyRevoked'>;
export type KeyEvent = KeyCreated | KeyRevoked;

/** A key as other events speak of it. */
export type KeyFacts = KeyCreated['data']['key'];
/** Traffic on a test key is reported apart. */
export type KeyKind = KeyFacts['kind'];

export interface NewKey {
  name: string;
  kind: KeyKind;
  /** Default: the key's own name, so that nothing is pooled by accident. A replacement names the old key's. */
  population?: string;
}

const MARKS: Record<KeyKind, string> = { production: 'mvs_live', test: 'mvs_test' };

export const shownPrefix = ({ id, kind }: Pick<KeyFacts, 'id' | 'kind'>): string => `${MARKS[kind]}_${id}`;

/** The key of a client: it submits claims. */
export const apiKeys: CredentialKind<KeyFacts, NewKey, KeyEvent> = {
  marks: Object.values(MARKS),
  prefixOf: shownPrefix,
  stream: streams.key,
  evolve(state, event) {
    switch (event.type) {
      case 'KeyCreated':
        return activeCredential(event.data.key, event.data);
      case 'KeyRevoked':
        return endedCredential(state, event.data);
      default:
        return never(event);
    }
  },
  ownerOf(id, name, { kind, population: wanted = name }) {
    const population = cleanName(wanted);
    return population === undefined ? undefined : { id, name, kind, population };
  },
  created: (key, creation) => ({ type: 'KeyCreated', version: 1, data: { key, ...creation } }),
  revoked: (key, act) => ({ type: 'KeyRevoked', version: 1, data: { key_id: key.id, ...act } }),
};
