/** Workspaces of the lot product and their tokens, decided on their streams as keys are. */
import {
  cleanName,
  formatToken,
  keyId,
  MAX_NAME_CHARACTERS,
  noWorkspace,
  parseToken,
  streams,
  tokenPrefix,
  type WorkspaceCommand,
  type WorkspaceEvent,
  type WorkspaceFacts,
  type WorkspaceState,
  workspaceDecider,
} from '#domain';
import type { Folded } from '#event-store';
import { FoldedStreams } from '../folded-streams.js';
import type { ApiKeysDependencies } from '../keys/api-keys.js';
import { CommandRefused } from '../refused.js';
import { hasHash, NO_HASH, sha256Hex } from '../secrets.js';

export class Workspaces {
  private readonly folded: FoldedStreams<WorkspaceState, WorkspaceEvent>;

  constructor(private readonly dependencies: ApiKeysDependencies) {
    this.folded = new FoldedStreams(dependencies.store, workspaceDecider);
  }

  /** The active workspace whose token was presented, if it is one: this is what uses it, whatever the call comes to. */
  async authenticate(presented: string): Promise<WorkspaceFacts | undefined> {
    const parsed = parseToken(presented);
    if (!parsed) return undefined;
    const seen = await this.read(parsed.id);
    const { state } = seen;
    const active = state.status === 'active';
    const right = hasHash(parsed.secret, active ? state.secretSha256 : NO_HASH);
    if (!active || !right) return undefined;
    await this.use(seen);
    return state.workspace;
  }

  /** To be asked again before each step of a request. @throws CommandRefused (token) once the token is revoked */
  async requireActive(id: string): Promise<void> {
    const { state } = await this.read(id);
    if (state.status !== 'active') throw new CommandRefused('token', 'the token is unknown or revoked');
  }

  /** @returns the workspace and its full token, which is shown this once. @throws CommandRefused (conflict, invalid) */
  async create(name: string, operator: string): Promise<{ workspace: WorkspaceFacts; token: string }> {
    const secret = Buffer.from(this.dependencies.randomBytes(32)).toString('base64url');
    const id = keyId(sha256Hex, name);
    const at = this.dependencies.now().toISOString();
    const command: WorkspaceCommand = { type: 'create', name, id, secretSha256: sha256Hex(secret), operator, at };
    const { refusal, state } = await this.handle(id, command, { state: noWorkspace, revision: -1n });
    if (refusal === 'name_taken') {
      throw new CommandRefused('conflict', `the name ${cleanName(name)} is taken; a name stays taken after revocation`);
    }
    if (refusal !== undefined) {
      throw new CommandRefused('invalid', `name must be 1 to ${MAX_NAME_CHARACTERS} printable characters`);
    }
    if (state.status !== 'active') throw new TypeError('a workspace that was created is active');
    return { workspace: state.workspace, token: formatToken(id, secret) };
  }

  /** The workspace whose token has exactly this prefix, by its own stream: no view has to be there. */
  async idOf(prefix: string): Promise<string | undefined> {
    const id = /_([0-9a-f]{16})$/.exec(prefix)?.[1];
    if (!id || tokenPrefix(id) !== prefix) return undefined;
    const { state } = await this.read(id);
    return state.status === 'absent' ? undefined : id;
  }

  /** Takes effect for whatever begins, or is at its next step, after the answer. @throws CommandRefused (not_found) */
  async revoke(id: string, operator: string): Promise<Extract<WorkspaceState, { status: 'revoked' }>> {
    const { refusal, state } = await this.handle(id, {
      type: 'revoke',
      operator,
      at: this.dependencies.now().toISOString(),
    });
    if (refusal !== undefined) throw new CommandRefused('not_found', 'no token has this prefix');
    if (state.status !== 'revoked') throw new TypeError('a workspace that was revoked is revoked');
    return state;
  }

  /** A call does not fail because its use cannot be recorded now: the next one tries again. */
  private async use(seen: Folded<WorkspaceState>): Promise<void> {
    if (seen.state.status !== 'active') return;
    const command: WorkspaceCommand = { type: 'use', at: this.dependencies.now().toISOString() };
    await this.handle(seen.state.workspace.id, command, seen).catch(() => {});
  }

  private read(id: string) {
    return this.folded.read(streams.workspace(id));
  }

  private handle(id: string, command: WorkspaceCommand, seen?: Folded<WorkspaceState>) {
    const stream = streams.workspace(id);
    return this.dependencies.commands.handle(workspaceDecider, command, { stream, read: () => this.read(id), seen });
  }
}
