/**
 * Credentials of every kind: a name that stays taken, a secret of which the log has the hash alone, and an end. A kind
 * says who owns one and writes its events.
 */

import { type Decider, type Decision, never, type Sha256Hex } from '#domain/decider';
import { streams } from '#domain/streams';
import {
  cleanName,
  KEY_MARKS,
  type KeyEvent,
  type KeyFacts,
  type KeyKind,
  type KeyLife,
  shownPrefix,
  tokenPrefix,
  WITHOUT_END,
  WORKSPACE_MARK,
  type WorkspaceEvent,
  type WorkspaceFacts,
} from './events.js';

export type CredentialState<Owner> =
  | { status: 'absent' }
  | {
      status: 'active';
      owner: Owner;
      secretSha256: string;
      createdAt: string;
      createdBy: string;
      life: KeyLife;
      /** Time of the last recorded use, if the kind records any. */
      usedAt?: string;
    }
  /** Being revoked: it opens nothing any more. */
  | { status: 'ending'; owner: Owner; createdAt: string; createdBy: string }
  | { status: 'revoked'; owner: Owner; createdAt: string; createdBy: string; revokedAt: string; revokedBy: string };

/** By an operator, at a time (ISO 8601). */
interface Act {
  operator: string;
  at: string;
}
interface Creation extends Act {
  secret_sha256: string;
}

/** @property id `credentialId(sha256, wanted.name)` */
export type CredentialCommand<Wanted> =
  | ({ type: 'create'; wanted: Wanted; id: string; secretSha256: string } & Act)
  | ({ type: 'change'; to: Partial<KeyLife> } & Act)
  | ({ type: 'begin_revocation' | 'revoke' } & Act)
  | { type: 'use'; at: string };

export type CredentialRefusal =
  | 'name_taken'
  | 'invalid_name'
  | 'invalid_population'
  | 'invalid_end'
  | 'revoked'
  | 'unknown';

/** The end of a key is at most so far away: ten years. */
const LONGEST_MS = 3653 * 24 * 3_600_000;

interface Named {
  name: string;
  life?: Partial<KeyLife>;
}

export interface CredentialKind<Owner, Wanted extends Named, Event> {
  /** Beginnings of its credentials. */
  marks: readonly string[];
  /** The part of a credential that listings show. */
  prefixOf(owner: Owner): string;
  stream(id: string): string;
  evolve(state: CredentialState<Owner>, event: Event): CredentialState<Owner>;
  /** @param name the cleaned one; undefined where the population that is wanted has no name */
  ownerOf(id: string, name: string, wanted: Wanted): Owner | undefined;
  created(owner: Owner, creation: Creation, life: KeyLife): Event;
  /** Present for kinds that end, pause and have rates of their own. */
  changed?(owner: Owner, life: KeyLife, act: Act): Event;
  /** Present for kinds that other replicas may hold. */
  ending?(owner: Owner, act: Act): Event;
  revoked(owner: Owner, act: Act): Event;
  /** Present for kinds whose uses are recorded. */
  used?(owner: Owner, at: string): Event;
}

const activeCredential = <Owner>(owner: Owner, creation: Creation, life = WITHOUT_END): CredentialState<Owner> => {
  const { secret_sha256: secretSha256, operator: createdBy, at: createdAt } = creation;
  return { status: 'active', owner, secretSha256, createdAt, createdBy, life };
};

/** Nothing is left of its secret. */
function endedCredential<Owner>(state: CredentialState<Owner>, { operator, at }: Act): CredentialState<Owner> {
  if (state.status !== 'active' && state.status !== 'ending') return state;
  const { owner, createdAt, createdBy } = state;
  return { status: 'revoked', owner, createdAt, createdBy, revokedAt: at, revokedBy: operator };
}

function endingCredential<Owner>(state: CredentialState<Owner>): CredentialState<Owner> {
  if (state.status !== 'active') return state;
  const { owner, createdAt, createdBy } = state;
  return { status: 'ending', owner, createdAt, createdBy };
}

const hasEnd = ({ expires_at }: Partial<KeyLife>, at: string): boolean => {
  if (expires_at === undefined || expires_at === null) return true;
  const left = Date.parse(expires_at) - Date.parse(at);
  return left > 0 && left <= LONGEST_MS;
};

/** Why an active key opens nothing now. @param now ISO 8601 */
export const barredBy = ({ expires_at, paused }: KeyLife, now: string): 'expired' | 'paused' | undefined => {
  if (expires_at !== null && Date.parse(expires_at) <= Date.parse(now)) return 'expired';
  return paused ? 'paused' : undefined;
};

/** A use is recorded so long (ms) after the one before: an hour. */
const USED_AGAIN_AFTER_MS = 3_600_000;

/** A name stays taken after revocation; revoking twice is nothing new. */
export const credentialDecider = <Owner, Wanted extends Named, Event>(
  kind: CredentialKind<Owner, Wanted, Event>,
): Decider<CredentialState<Owner>, CredentialCommand<Wanted>, Event, CredentialRefusal> => ({
  initial: { status: 'absent' },
  evolve: kind.evolve,
  decide(state, command): Decision<Event, CredentialRefusal> {
    switch (command.type) {
      case 'create': {
        const { id, wanted, secretSha256: secret_sha256, operator, at } = command;
        const name = cleanName(wanted.name);
        if (name === undefined) return { refusal: 'invalid_name' };
        const owner = kind.ownerOf(id, name, wanted);
        if (owner === undefined) return { refusal: 'invalid_population' };
        if (state.status !== 'absent') return { refusal: 'name_taken' };
        const life = { ...WITHOUT_END, ...wanted.life };
        if (!hasEnd(life, at)) return { refusal: 'invalid_end' };
        return { events: [kind.created(owner, { secret_sha256, operator, at }, life)] };
      }
      case 'change': {
        if (state.status === 'absent' || !kind.changed) return { refusal: 'unknown' };
        if (state.status !== 'active') return { refusal: 'revoked' };
        const { to, operator, at } = command;
        if (!hasEnd(to, at)) return { refusal: 'invalid_end' };
        const life = { ...state.life, ...to };
        const same = (Object.keys(life) as (keyof KeyLife)[]).every((name) => life[name] === state.life[name]);
        return { events: same ? [] : [kind.changed(state.owner, life, { operator, at })] };
      }
      case 'use': {
        if (!kind.used || state.status !== 'active') return { events: [] };
        const { owner, usedAt } = state;
        const again = usedAt === undefined || Date.parse(command.at) - Date.parse(usedAt) >= USED_AGAIN_AFTER_MS;
        return { events: again ? [kind.used(owner, command.at)] : [] };
      }
      case 'begin_revocation': {
        if (state.status === 'absent') return { refusal: 'unknown' };
        if (!kind.ending || state.status !== 'active') return { events: [] };
        const { operator, at } = command;
        return { events: [kind.ending(state.owner, { operator, at })] };
      }
      case 'revoke': {
        if (state.status === 'absent') return { refusal: 'unknown' };
        if (state.status === 'revoked') return { events: [] };
        const { operator, at } = command;
        return { events: [kind.revoked(state.owner, { operator, at })] };
      }
      default:
        return never(command);
    }
  },
});

/** What names have in common that look alike: in upper or lower case, in full width, in ligatures. */
export const lookOf = (name: string): string =>
  (cleanName(name) ?? name).normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').trim();

/**
 * A credential's public id, 16 hex digits: the head of a hash of its name's look. Its stream bears it, so that one append both
 * reserves the name and creates the credential.
 */
export const credentialId = (sha256: Sha256Hex, name: string): string => sha256(lookOf(name)).slice(0, 16);

/** The id that releases up to 0.2 gave, which took names that look alike for several. */
export const formerCredentialId = (sha256: Sha256Hex, name: string): string =>
  sha256(cleanName(name) ?? name).slice(0, 16);

/** The whole credential, shown once. @param secret 256 random bits in base64url */
export const formatCredential = (prefix: string, secret: string): string => `${prefix}_${secret}`;

/** Takes a presented credential apart; undefined where it is none of these marks. */
export function parseCredential(
  marks: readonly string[],
  presented: string,
): { prefix: string; id: string; secret: string } | undefined {
  const [, prefix, mark, id, secret] = /^(([a-z_]+)_([0-9a-f]{16}))_([A-Za-z0-9_-]{43})$/.exec(presented) ?? [];
  return marks.includes(mark) ? { prefix, id, secret } : undefined;
}

export interface NewKey {
  name: string;
  kind: KeyKind;
  /** Default: the key's own name, so that nothing is pooled by accident. A replacement names the old key's. */
  population?: string;
  life?: Partial<KeyLife>;
}

/** The key of a client: it submits claims. */
export const apiKeys: CredentialKind<KeyFacts, NewKey, KeyEvent> = {
  marks: Object.values(KEY_MARKS),
  prefixOf: shownPrefix,
  stream: streams.key,
  evolve(state, event) {
    switch (event.type) {
      case 'KeyCreated':
        return activeCredential(event.data.key, event.data, event.data.life);
      case 'KeyChanged':
        return state.status === 'active' ? { ...state, life: event.data.life } : state;
      case 'KeyRevocationBegan':
        return endingCredential(state);
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
  created: (key, creation, life) => ({ type: 'KeyCreated', version: 2, data: { key, ...creation, life } }),
  changed: (key, life, act) => ({ type: 'KeyChanged', version: 1, data: { key_id: key.id, life, ...act } }),
  ending: (key, act) => ({ type: 'KeyRevocationBegan', version: 1, data: { key_id: key.id, ...act } }),
  revoked: (key, act) => ({ type: 'KeyRevoked', version: 1, data: { key_id: key.id, ...act } }),
};

/** The token of a workspace: it opens the lot product and nothing else. */
export const workspaces: CredentialKind<WorkspaceFacts, { name: string }, WorkspaceEvent> = {
  marks: [WORKSPACE_MARK],
  prefixOf: ({ id }) => tokenPrefix(id),
  stream: streams.workspace,
  evolve(state, event) {
    switch (event.type) {
      case 'WorkspaceCreated':
        return activeCredential(event.data.workspace, event.data);
      case 'WorkspaceUsed':
        return state.status === 'active' ? { ...state, usedAt: event.data.at } : state;
      case 'WorkspaceRevoked':
        return endedCredential(state, event.data);
      default:
        return never(event);
    }
  },
  ownerOf: (id, name) => ({ id, name }),
  created: (workspace, creation) => ({ type: 'WorkspaceCreated', version: 1, data: { workspace, ...creation } }),
  used: (workspace, at) => ({ type: 'WorkspaceUsed', version: 1, data: { workspace, at } }),
  revoked: (workspace, act) => ({ type: 'WorkspaceRevoked', version: 1, data: { workspace, ...act } }),
};
