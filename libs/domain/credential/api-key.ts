import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';
import { streams } from '../streams.js';
import { activeCredential, type CredentialKind, cleanName, endedCredential } from './credential.js';

export type KeyCreated = EventOf<'KeyCreated'>;
export type KeyRevoked = EventOf<'KeyRevoked'>;
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
