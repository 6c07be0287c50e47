/**
 * Operators decide on what is proposed: a rung's threshold, a population's scorer, a workspace's lot scorer. One of them, or under
 * the four-eyes rule two, approve a proposal; one withdraws it. Their streams' events carry the hash of those before them
 * (docs/audit/chain.md).
 */
import { setTimeout } from 'node:timers/promises';
import { type ApprovalCommand, awaitedApproval, type DecisionFacts, pendingRequest } from '#domain/approval';
import { type Decider, type DomainEvent, fold } from '#domain/decider';
import type { CommandHandler } from '#kit/log/command-handler';
import { type EventReader, type RecordedEvent, WrongExpectedRevision } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { eventsOf, type Folded } from '#kit/log/stored-events';

export interface OperatorDecision {
  operator: string;
  reason: string;
  requestId: string;
}

/** A stream as an operator was shown it, with the hash that the next decision carries. */
export interface Seen<State> extends Folded<State> {
  stream: string;
  chain: string;
}

/**
 * What may be approved in one stream under one model.
 * @template Of what every command says of it
 * @template Found what an approval rests on besides its proposal
 * @template Shown the answer to a decision
 */
export interface Approvable<State, Proposal, Event, Refusal extends string, Of, Found, Shown> {
  about: 'population' | 'workspace';
  /** Digest of the model under which it is decided. */
  model: string;
  of: Of;
  decider: Decider<State, ApprovalCommand<Proposal, DecisionFacts & Of, Found>, Event, Refusal>;
  /** Why a decision is refused. */
  sentences: Record<Refusal, string>;
  read(): Promise<Seen<State>>;
  /** The proposal with a digest, as far as there is one that stands. @throws CommandRefused where none can be made */
  find(digest: string, state: State, requestId: string): Promise<Found & { proposal: Proposal | undefined }>;
  /** As it is after a decision. */
  show(state: State): Promise<Shown>;
}

export interface ApprovalsDependencies {
  commands: CommandHandler;
  now(): Date;
  /** Whether an approval needs two operators. */
  fourEyes: boolean;
  /** Operators whose request may wait for a second one. */
  approvers: Pick<readonly string[], 'includes'>;
}

export class Approvals {
  constructor(private readonly dependencies: ApprovalsDependencies) {}

  get fourEyes(): boolean {
    return this.dependencies.fourEyes;
  }

  /** The request that waits for a second operator. */
  pending<Request extends { operator: string }>(of: { request?: Request }): Request | undefined {
    return pendingRequest(of, this.dependencies.approvers);
  }

  /** The same as it is shown. */
  awaited(of: { request?: Parameters<typeof awaitedApproval>[0] }) {
    return awaitedApproval(this.pending(of));
  }

  /**
   * Approves the proposal with a digest, or asks for it where a second operator has to.
   * @param ofModels one for each model that may propose; the first that has the proposal is meant
   * @throws CommandRefused (conflict)
   */
  async approve<State, Proposal, Event extends DomainEvent, Refusal extends string, Of, Found, Shown>(
    ofModels: readonly Approvable<State, Proposal, Event, Refusal, Of, Found, Shown>[],
    decision: OperatorDecision,
    digest: string,
  ): Promise<Shown> {
    const seen = await ofModels[0].read();
    const tried = [];
    for (const approvable of ofModels) {
      const found = await approvable.find(digest, seen.state, decision.requestId);
      tried.push({ approvable, found });
      if (found.proposal) break;
    }
    const last = tried[tried.length - 1];
    const { approvable, found } = last.found.proposal ? last : tried[0];
    const { fourEyes, approvers: operators } = this.dependencies;
    const facts = { ...approvable.of, ...this.factsOf(decision, approvable.model, seen) };
    return this.decide(approvable, decision, seen, { type: 'approve', ...facts, ...found, fourEyes, operators });
  }

  /** @throws CommandRefused (conflict) */
  async withdraw<State, Proposal, Event extends DomainEvent, Refusal extends string, Of, Found, Shown>(
    approvable: Approvable<State, Proposal, Event, Refusal, Of, Found, Shown>,
    decision: OperatorDecision,
  ): Promise<Shown> {
    const seen = await approvable.read();
    const facts = { ...approvable.of, ...this.factsOf(decision, approvable.model, seen) };
    return this.decide(approvable, decision, seen, { type: 'withdraw', ...facts });
  }

  private factsOf({ operator, reason }: OperatorDecision, model: string, { chain }: Seen<unknown>): DecisionFacts {
    return { model, operator, reason, at: this.dependencies.now().toISOString(), chain };
  }

  /** An operator decides on what was shown: where another decided meanwhile, nothing is. */
  private async decide<State, Command, Event extends DomainEvent, Refusal extends string, Shown>(
    { about, decider, sentences, show }: Deciding<State, Command, Event, Refusal, Shown>,
    { requestId }: OperatorDecision,
    seen: Seen<State>,
    command: Command,
  ): Promise<Shown> {
    const handling = { stream: seen.stream, requestId, seen, attempts: 1 };
    const { state, refusal } = await this.dependencies.commands.handle(decider, command, handling).catch((error) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new CommandRefused('conflict', `another operator decided about this ${about} first; look again`);
    });
    if (refusal !== undefined) throw new CommandRefused('conflict', sentences[refusal]);
    return show(state);
  }
}

interface Deciding<State, Command, Event, Refusal extends string, Shown> {
  about: string;
  decider: Decider<State, Command, Event, Refusal>;
  sentences: Record<Refusal, string>;
  show(state: State): Promise<Shown>;
}

/** @param rootOf the hash of a stream's events @throws StreamUndecidable */
export async function readToDecide<State, Event>(
  store: Pick<EventReader, 'readStream'>,
  stream: string,
  { initial, evolve }: Pick<Decider<State, never, Event, string>, 'initial' | 'evolve'>,
  rootOf: (events: readonly RecordedEvent[]) => string,
): Promise<Seen<State>> {
  const rows = await store.readStream(stream);
  const events = eventsOf<Event>(rows);
  const state = fold(evolve, initial, events);
  return { stream, state, revision: rows.at(-1)?.revision ?? -1n, chain: rootOf(events) };
}

/** A moment so many milliseconds from now, which keeps no process alive. */
export const timeUpIn = (ms: number): Promise<unknown> => setTimeout(ms, undefined, { ref: false });

/** The outcome of work, where it is there in time; a failure is reported, and none. */
export function inTime<T>(
  work: Promise<T>,
  timeUp: Promise<unknown>,
  failed: (error: Error) => void,
): Promise<T | undefined> {
  return Promise.race([work.catch(failed), timeUp]) as Promise<T | undefined>;
}
