/** API keys, decided on their streams: what one replica did, the next sees. */
import { Inject, Injectable } from '@nestjs/common';
import {
  cleanName,
  decideKey,
  evolveKey,
  formatKey,
  type KeyEvent,
  type KeyFacts,
  type KeyKind,
  type KeyState,
  keyId,
  noKey,
  parseKey,
  shownPrefix,
  streams,
} from '#domain';
import { WrongExpectedRevision } from '#event-store';
import { FoldedStreams } from '../folded-streams.js';
import { hasHash, sha256 } from '../http/credentials.js';
import { Problem } from '../http/problem.js';
import { PARTS, type Parts } from '../parts.js';

export type ActiveKey = KeyFacts;

export interface NewKey {
  name: string;
  kind: KeyKind;
  population?: string;
}

const sha256Hex = (text: string) => sha256(text).toString('hex');
/** Stands in for the hash of a key that is not there, so that its absence takes as long to find. */
const NO_HASH = '0'.repeat(64);

@Injectable()
export class ApiKeys {
  private readonly folded: FoldedStreams<KeyState, KeyEvent>;

  constructor(@Inject(PARTS) private readonly parts: Parts) {
    this.folded = new FoldedStreams(parts.store, evolveKey, noKey);
  }

  /** The active key that was presented, if it is one. */
  async authenticate(presented: string): Promise<ActiveKey | undefined> {
    const parsed = parseKey(presented);
    if (!parsed) return undefined;
    const { state } = await this.read(parsed.id);
    const active = state.status === 'active' && state.key.kind === parsed.kind;
    const right = hasHash(parsed.secret, active ? state.secretSha256 : NO_HASH);
    return active && right ? state.key : undefined;
  }

  /** To be asked again before each step of a request. @throws Problem (401) once the key is revoked */
  async requireActive(id: string): Promise<void> {
    const { state } = await this.read(id);
    if (state.status !== 'active') throw new Problem('credential_api_key');
  }

  /** @returns the key's facts and the full key, which is told this once. @throws Problem (409, 422) */
  async create(wanted: NewKey, operator: string): Promise<{ key: KeyFacts; full: string }> {
    const secret = Buffer.from(this.parts.randomBytes(32)).toString('base64url');
    const id = keyId(sha256Hex, wanted.name);
    const decision = decideKey(noKey, {
      type: 'create',
      ...wanted,
      id,
      secretSha256: sha256Hex(secret),
      operator,
      at: this.parts.now().toISOString(),
    });
    if ('refusal' in decision) {
      const what = decision.refusal === 'invalid_population' ? 'population' : 'name';
      throw new Problem('unprocessable', `: ${what} must be 1 to 64 printable characters`);
    }
    try {
      await this.append(id, decision.events, 'no_stream');
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new Problem(
        'conflict',
        `: the name ${cleanName(wanted.name)} is taken; a name stays taken after revocation`,
      );
    }
    const [created] = decision.events;
    if (created.type !== 'KeyCreated') throw new TypeError('a key is created by its first event');
    return { key: created.data.key, full: formatKey(created.data.key, secret) };
  }

  /** The key with exactly this prefix, by its own stream: no view has to be there. */
  async idOf(prefix: string): Promise<string | undefined> {
    const id = /_([0-9a-f]{16})$/.exec(prefix)?.[1];
    if (!id) return undefined;
    const { state } = await this.read(id);
    return state.status !== 'absent' && shownPrefix(state.key) === prefix ? id : undefined;
  }

  /** Takes effect for whatever begins, or is at its next step, after the answer. @throws Problem (404) */
  async revoke(id: string, operator: string): Promise<KeyState> {
    for (;;) {
      const { state, revision } = await this.read(id);
      const decision = decideKey(state, { type: 'revoke', operator, at: this.parts.now().toISOString() });
      if ('refusal' in decision) throw new Problem('not_found', ': no key has this prefix');
      if (decision.events.length === 0) return state;
      try {
        await this.append(id, decision.events, revision);
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
  }

  private read(id: string) {
    return this.folded.read(streams.key(id));
  }

  private append(id: string, events: KeyEvent[], expected: 'no_stream' | bigint) {
    const fresh = events.map((event) => ({ ...event, id: this.parts.newId() }));
    return this.parts.store.append(streams.key(id), fresh, expected);
  }
}

export { shownPrefix };
