/** Keys of clients and tokens of workspaces, decided on their streams: an act of one replica binds the next. */

import { setTimeout } from 'node:timers/promises';
import { limits } from '#config/limits';
import type { DomainEvent } from '#domain/decider';
import { Holds } from '#kit/admission/holds';
import type { CommandHandler } from '#kit/log/command-handler';
import { FoldedStreams } from '#kit/log/folded-streams';
import type { EventReader } from '#kit/log/port';
import { CommandRefused, type RefusalReason } from '#kit/log/refused';
import { hasHash, NO_HASH, sha256Hex } from '#kit/log/secrets';
import { type Folded, StreamUndecidable } from '#kit/log/stored-events';
import {
  apiKeys,
  barredBy,
  type CredentialCommand,
  type CredentialKind,
  type CredentialState,
  credentialDecider,
  credentialId,
  formatCredential,
  formerCredentialId,
  lookOf,
  type NewKey,
  parseCredential,
  workspaces,
} from './decide.js';
import {
  cleanName,
  type KeyEvent,
  type KeyFacts,
  type KeyLife,
  type WorkspaceEvent,
  type WorkspaceFacts,
} from './events.js';
import { Grant, REVOCATION_MS } from './grant.js';

export interface CredentialsDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  /** Other replicas act on the same log. */
  shared: boolean;
  now(): Date;
  /** Random bytes for secrets. */
  randomBytes(count: number): Uint8Array;
}

/** @property noun what a caller calls one */
interface Wording {
  noun: string;
  reason: RefusalReason;
}

const END = 'expires_at must be a time to come, at most ten years from now';

class Credentials<Owner extends { id: string }, Wanted extends { name: string }, Event extends DomainEvent> {
  private readonly decider;
  private readonly folded: FoldedStreams<CredentialState<Owner>, Event>;
  private readonly holds = new Holds();

  constructor(
    private readonly dependencies: CredentialsDependencies,
    private readonly kind: CredentialKind<Owner, Wanted, Event>,
    private readonly wording: Wording,
  ) {
    this.decider = credentialDecider(kind);
    this.folded = new FoldedStreams(dependencies.store, this.decider);
  }

  /**
   * The owner of the active credential that was presented, if it is one: this uses it, whatever the call comes to.
   * @throws CommandRefused (expired, paused) where it is the right one, and opens nothing now
   */
  async authenticate(presented: string): Promise<Owner | undefined> {
    const parsed = parseCredential(this.kind.marks, presented);
    if (!parsed) return undefined;
    const seen = await this.toBelieve(parsed.id);
    const owner = this.matching(parsed, seen.state);
    if (!owner) return undefined;
    this.refuseBarred(seen.state);
    await this.use(owner, seen);
    return owner;
  }

  /** The same as the log was last read here: enough to receive a body, not to act on it. */
  recognise(presented: string): Owner | undefined {
    const parsed = parseCredential(this.kind.marks, presented);
    const seen = parsed && this.folded.seen(this.kind.stream(parsed.id));
    if (!parsed || seen?.state.status !== 'active' || barredBy(seen.state.life, this.now())) return undefined;
    return this.matching(parsed, seen.state);
  }

  /**
   * Stores what rests on an active credential. It is held from before it is asked for until all is stored: a revocation is
   * stored after it.
   * @param store asks the grant before an append that does not follow at once
   * @throws CommandRefused (credential, token, expired, paused), StoreUnavailable
   */
  async whileActive<T>(id: string, store: (grant: Grant) => Promise<T>): Promise<T> {
    const release = await this.holds.hold(id);
    try {
      const grant = new Grant(() => this.requireActive(id), this.dependencies.shared);
      await grant.ask();
      await grant.toStore();
      const stored = await store(grant);
      await grant.toAnswer();
      return stored;
    } finally {
      release();
    }
  }

  /** How an active one may be used, as last read here. */
  lifeOf(id: string): KeyLife | undefined {
    const seen = this.folded.seen(this.kind.stream(id));
    return seen?.state.status === 'active' ? seen.state.life : undefined;
  }

  /** To be asked again before each step of a request. @throws CommandRefused (credential, token, expired, paused) */
  async requireActive(id: string): Promise<void> {
    const { state } = await this.toBelieve(id);
    const { noun, reason } = this.wording;
    if (state.status !== 'active') throw new CommandRefused(reason, `the ${noun} is unknown or revoked`);
    this.refuseBarred(state);
  }

  /**
   * @param known names of others, as far as views have them: those of earlier releases stand in streams by their own writing
   * @returns the owner and the full credential, which is shown this once.
   * @throws CommandRefused (conflict, invalid)
   */
  async create(
    wanted: Wanted,
    operator: string,
    known: readonly string[] = [],
  ): Promise<{ owner: Owner; full: string }> {
    const secret = Buffer.from(this.dependencies.randomBytes(32)).toString('base64url');
    const id = credentialId(sha256Hex, wanted.name);
    const act = { operator, at: this.now() };
    const command = { type: 'create' as const, wanted, id, secretSha256: sha256Hex(secret), ...act };
    const absent = { state: this.decider.initial, revision: -1n };
    const former = (await this.read(formerCredentialId(sha256Hex, wanted.name))).state;
    if (former.status !== 'absent') throw this.taken(wanted.name);
    const like = known.find((name) => lookOf(name) === lookOf(wanted.name));
    if (like !== undefined) throw this.taken(wanted.name, like);
    const { refusal, state } = await this.handle(id, command, absent);
    if (refusal === 'name_taken') throw this.taken(wanted.name);
    if (refusal === 'invalid_end') throw new CommandRefused('invalid', END);
    if (refusal !== undefined) {
      const field = refusal === 'invalid_population' ? 'population' : 'name';
      throw new CommandRefused('invalid', `${field} must be 1 to ${limits.nameCharacters} printable characters`);
    }
    if (state.status !== 'active') throw new TypeError('a credential that was created is active');
    return { owner: state.owner, full: formatCredential(this.kind.prefixOf(state.owner), secret) };
  }

  private taken(wanted: string, like?: string): CommandRefused {
    const name = cleanName(wanted);
    const as = like === undefined || like === name ? '' : ` by ${like}`;
    return new CommandRefused(
      'conflict',
      `the name ${name} is taken${as}, and stays taken after revocation; upper case and full width make no other name; if the answer with its ${this.wording.noun} was lost, revoke that and create one of another name`,
    );
  }

  /** The owner, of a revoked one too; undefined where there never was one. */
  async ownerOf(id: string): Promise<Owner | undefined> {
    const { state } = await this.read(id);
    return state.status === 'absent' ? undefined : state.owner;
  }

  /** The one with exactly this prefix, by its own stream: no view has to be there. */
  async idOf(prefix: string): Promise<string | undefined> {
    const id = /_([0-9a-f]{16})$/.exec(prefix)?.[1];
    if (!id) return undefined;
    const { state } = await this.read(id);
    return state.status !== 'absent' && this.kind.prefixOf(state.owner) === prefix ? id : undefined;
  }

  /**
   * Waits for what holds it here, and as long as it may be held by another replica. After the answer nothing rests on it.
   * @throws CommandRefused (not_found)
   */
  async revoke(id: string, operator: string): Promise<Extract<CredentialState<Owner>, { status: 'revoked' }>> {
    const revoke = async () => {
      if (this.dependencies.shared) {
        const { state } = await this.handle(id, { type: 'begin_revocation', operator, at: this.now() });
        if (state.status === 'ending') await setTimeout(REVOCATION_MS);
      }
      return this.handle(id, { type: 'revoke', operator, at: this.now() });
    };
    const { refusal, state } = await this.holds.end(id, revoke);
    if (refusal !== undefined) throw new CommandRefused('not_found', `no ${this.wording.noun} has this prefix`);
    if (state.status !== 'revoked') throw new TypeError('a credential that was revoked is revoked');
    return state;
  }

  private refuseBarred(state: CredentialState<Owner>): void {
    const barred = state.status === 'active' && barredBy(state.life, this.now());
    if (barred) throw new CommandRefused(barred, `the ${this.wording.noun} is ${barred}`);
  }

  private matching(
    { prefix, secret }: { prefix: string; secret: string },
    state: CredentialState<Owner>,
  ): Owner | undefined {
    const active = state.status === 'active' && this.kind.prefixOf(state.owner) === prefix;
    const right = hasHash(secret, active ? state.secretSha256 : NO_HASH);
    return active && right ? state.owner : undefined;
  }

  /** A call does not fail because its use cannot be recorded now: the next one tries again. */
  private async use({ id }: Owner, seen: Folded<CredentialState<Owner>>): Promise<void> {
    if (this.kind.used) await this.handle(id, { type: 'use', at: this.now() }, seen).catch(() => {});
  }

  private now(): string {
    return this.dependencies.now().toISOString();
  }

  private read(id: string) {
    return this.folded.read(this.kind.stream(id));
  }

  /** Opens nothing where an event was lost: it may have been the revocation. */
  private async toBelieve(id: string): Promise<Folded<CredentialState<Owner>>> {
    try {
      return await this.read(id);
    } catch (error) {
      if (!(error instanceof StreamUndecidable)) throw error;
      return { state: this.decider.initial, revision: -1n };
    }
  }

  /**
   * Pauses or resumes it, or changes its end, rate, contact or what it reads: from the next read of it on, on every replica.
   * @throws CommandRefused (invalid, conflict, not_found)
   */
  async change(id: string, to: Partial<KeyLife>, operator: string): Promise<{ owner: Owner; life: KeyLife }> {
    const { refusal, state } = await this.holds.end(id, () =>
      this.handle(id, { type: 'change', to, operator, at: this.now() }),
    );
    if (refusal === 'invalid_end') throw new CommandRefused('invalid', END);
    if (refusal === 'revoked') throw new CommandRefused('conflict', `the ${this.wording.noun} is revoked`);
    if (state.status !== 'active') throw new CommandRefused('not_found', `no ${this.wording.noun} has this prefix`);
    return state;
  }

  private handle(id: string, command: CredentialCommand<Wanted>, seen?: Folded<CredentialState<Owner>>) {
    const stream = this.kind.stream(id);
    return this.dependencies.commands.handle(this.decider, command, { stream, read: () => this.read(id), seen });
  }
}

export class ApiKeys extends Credentials<KeyFacts, NewKey, KeyEvent> {
  constructor(dependencies: CredentialsDependencies) {
    super(dependencies, apiKeys, { noun: 'key', reason: 'credential' });
  }
}

/** Workspaces of the lot product. */
export class Workspaces extends Credentials<WorkspaceFacts, { name: string }, WorkspaceEvent> {
  constructor(dependencies: CredentialsDependencies) {
    super(dependencies, workspaces, { noun: 'token', reason: 'token' });
  }
}
