/** API keys, decided on their streams: what one replica did, the next sees. */
import {
  cleanName,
  formatKey,
  type KeyCommand,
  type KeyEvent,
  type KeyFacts,
  type KeyKind,
  type KeyState,
  keyDecider,
  keyId,
  MAX_NAME_CHARACTERS,
  noKey,
  parseKey,
  shownPrefix,
  streams,
} from '#domain';
import type { EventReader, Folded } from '#event-store';
import type { CommandHandler } from '../command-handler.js';
import { FoldedStreams } from '../folded-streams.js';
import { CommandRefused } from '../refused.js';
import { hasHash, NO_HASH, sha256Hex } from '../secrets.js';

export type ActiveKey = KeyFacts;

export interface NewKey {
  name: string;
  kind: KeyKind;
  population?: string;
}

export interface ApiKeysDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  now(): Date;
  /** Random bytes for secrets. */
  randomBytes(count: number): Uint8Array;
}

export class ApiKeys {
  private readonly folded: FoldedStreams<KeyState, KeyEvent>;

  constructor(private readonly dependencies: ApiKeysDependencies) {
    this.folded = new FoldedStreams(dependencies.store, keyDecider);
  }

  /** The active key that was presented, if it is one. */
  async authenticate(presented: string): Promise<ActiveKey | undefined> {
    const parsed = parseKey(presented);
    if (!parsed) return undefined;
    const { state } = await this.read(parsed.id);
    return matching(parsed, state);
  }

  /** The same as the log was last read here: enough to receive a body, not to act on it. */
  recognise(presented: string): ActiveKey | undefined {
    const parsed = parseKey(presented);
    const seen = parsed && this.folded.seen(streams.key(parsed.id));
    return seen && matching(parsed, seen.state);
  }

  /** To be asked again before each step of a request. @throws CommandRefused (credential) once the key is revoked */
  async requireActive(id: string): Promise<void> {
    const { state } = await this.read(id);
    if (state.status !== 'active') throw new CommandRefused('credential', 'the key is unknown or revoked');
  }

  /** @returns the key's facts and the full key, which is shown this once. @throws CommandRefused (conflict, invalid) */
  async create(wanted: NewKey, operator: string): Promise<{ key: KeyFacts; full: string }> {
    const secret = Buffer.from(this.dependencies.randomBytes(32)).toString('base64url');
    const id = keyId(sha256Hex, wanted.name);
    const command: KeyCommand = {
      type: 'create',
      ...wanted,
      id,
      secretSha256: sha256Hex(secret),
      operator,
      at: this.dependencies.now().toISOString(),
    };
    const { refusal, state } = await this.handle(id, command, { state: noKey, revision: -1n });
    if (refusal === 'name_taken') {
      throw new CommandRefused(
        'conflict',
        `the name ${cleanName(wanted.name)} is taken; a name stays taken after revocation`,
      );
    }
    if (refusal !== undefined) {
      const what = refusal === 'invalid_population' ? 'population' : 'name';
      throw new CommandRefused('invalid', `${what} must be 1 to ${MAX_NAME_CHARACTERS} printable characters`);
    }
    if (state.status !== 'active') throw new TypeError('a key that was created is active');
    return { key: state.key, full: formatKey(state.key, secret) };
  }

  /** The key with exactly this prefix, by its own stream: no view has to be there. */
  async idOf(prefix: string): Promise<string | undefined> {
    const id = /_([0-9a-f]{16})$/.exec(prefix)?.[1];
    if (!id) return undefined;
    const { state } = await this.read(id);
    return state.status !== 'absent' && shownPrefix(state.key) === prefix ? id : undefined;
  }

  /** Takes effect for whatever begins, or is at its next step, after the answer. @throws CommandRefused (not_found) */
  async revoke(id: string, operator: string): Promise<KeyState> {
    const { refusal, state } = await this.handle(id, {
      type: 'revoke',
      operator,
      at: this.dependencies.now().toISOString(),
    });
    if (refusal !== undefined) throw new CommandRefused('not_found', 'no key has this prefix');
    return state;
  }

  private read(id: string) {
    return this.folded.read(streams.key(id));
  }

  private handle(id: string, command: KeyCommand, seen?: Folded<KeyState>) {
    return this.dependencies.commands.handle(keyDecider, command, {
      stream: streams.key(id),
      read: () => this.read(id),
      seen,
    });
  }
}

function matching({ kind, secret }: NonNullable<ReturnType<typeof parseKey>>, state: KeyState): ActiveKey | undefined {
  const active = state.status === 'active' && state.key.kind === kind;
  const right = hasHash(secret, active ? state.secretSha256 : NO_HASH);
  return active && right ? state.key : undefined;
}
