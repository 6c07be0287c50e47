/** Decisions of one operator or, under the four-eyes rule, of two: to approve what is proposed, and to withdraw it. */
import { type Decision, never } from './decider.js';

/** The rule that says if one operator suffices. */
export interface ApprovalRule {
  fourEyes: boolean;
  /** Operators who may approve now: the request of somebody who is no operator any more has lapsed. */
  operators: Pick<readonly string[], 'includes'>;
}

/** What makes two operators two: of whom a provider vouches for, issuer and subject, whatever the name that is shown. */
export const eyeOf = (operator: string): string => / <([^<>]+#[^<>]+)>$/.exec(operator)?.[1] ?? operator;

/** The facts of every decision. */
export interface DecisionFacts {
  /** Digest of the model under which it is decided. */
  model: string;
  operator: string;
  reason: string;
  at: string;
  /** Hash of all events of the stream so far, 64 hex digits (docs/audit/chain.md). */
  chain: string;
}

/** What an operator may approve. */
export interface Proposed {
  digest: string;
  model: string;
  /** Decisions before it. */
  decisions: number;
}

/** @template Shown what an approval rests on besides */
export type ApprovalCommand<Proposal, Facts = DecisionFacts, Shown = object> =
  | (Facts &
      Shown &
      ApprovalRule & {
        type: 'approve';
        /** The proposal with the digest that the operator saw; nothing where there is none. */
        proposal: Proposal | undefined;
      })
  | (Facts & { type: 'withdraw' });

interface Request {
  operator: string;
  at: string;
  reason: string;
  proposal: { digest: string };
}

/** What is decided about stands so. */
interface Standing {
  /** Approvals and withdrawals of the stream so far. */
  decisions: number;
  request?: Request;
  approval?: object;
}

/** The events that a decision makes, and the reasons of its own why it is refused. */
interface Outcomes<Proposal, Event, Refusal> {
  /** Why the proposal cannot be approved, though it stands. */
  unfit(proposal: Proposal): Refusal | undefined;
  /** Nothing is there to withdraw. */
  nothing: Refusal;
  requested(of: { proposal: Proposal }): Event;
  approved(of: { proposal: Proposal; requested_by: string | null }): Event;
  withdrawn(): Event;
}

/** Newer evidence leaves a proposal standing; a decision of the same stream, or another model, does not. */
export function decideApproval<Proposal extends Proposed, Event, Refusal extends string>(
  command: ApprovalCommand<Proposal, Pick<DecisionFacts, 'model' | 'operator'>>,
  { decisions, request, approval }: Standing,
  outcomes: Outcomes<Proposal, Event, Refusal>,
): Decision<Event, Refusal | 'no_such_proposal' | 'same_operator'> {
  switch (command.type) {
    case 'approve': {
      const { proposal, model, operator, fourEyes, operators } = command;
      if (!proposal || proposal.model !== model || proposal.decisions !== decisions)
        return { refusal: 'no_such_proposal' };
      const unfit = outcomes.unfit(proposal);
      if (unfit !== undefined) return { refusal: unfit };
      if (!fourEyes) return { events: [outcomes.approved({ proposal, requested_by: null })] };
      const pending = pendingRequest({ request }, operators);
      if (pending?.proposal.digest !== proposal.digest) return { events: [outcomes.requested({ proposal })] };
      if (eyeOf(pending.operator) === eyeOf(operator)) return { refusal: 'same_operator' };
      return { events: [outcomes.approved({ proposal, requested_by: pending.operator })] };
    }
    case 'withdraw':
      if (!approval && !request) return { refusal: outcomes.nothing };
      return { events: [outcomes.withdrawn()] };
    default:
      return never(command);
  }
}

/** The request that waits for a second operator; one of a former operator has lapsed. */
export const pendingRequest = <R extends Pick<Request, 'operator'>>(
  { request }: { request?: R },
  operators: Pick<readonly string[], 'includes'>,
) => (request && operators.includes(request.operator) ? request : undefined);

/** The same as it is shown. */
export function awaitedApproval(request: Request | undefined) {
  if (!request) return null;
  const { proposal, operator, at, reason } = request;
  return { digest: proposal.digest, requested_by: operator, at, reason };
}

/** An approval as it is shown. */
export const approvalFacts = <Proposal>(approval: {
  operator: string;
  requested_by: string | null;
  at: string;
  reason: string;
  proposal: Proposal;
}) => ({
  approved_by: approval.operator,
  requested_by: approval.requested_by,
  approved_at: approval.at,
  reason: approval.reason,
  evidence: approval.proposal,
});

/** An approval, and what became of it. */
export interface ListedApproval<Approval> {
  approval: Approval;
  ended: { how: 'superseded' | 'withdrawn'; by: string; at: string } | null;
}

/** The list after a decision that ends what stood under its model. */
export const endedBy = <Approval extends { proposal: { model: string } }>(
  approvals: readonly ListedApproval<Approval>[],
  how: 'superseded' | 'withdrawn',
  model: string,
  { operator: by, at }: { operator: string; at: string },
): ListedApproval<Approval>[] =>
  approvals.map((one) =>
    one.ended === null && one.approval.proposal.model === model ? { ...one, ended: { how, by, at } } : one,
  );

/** The rule by which the hash of a stream's events is carried on, handed in because the domain does no I/O. */
export interface Chain<Event> {
  /** The root before the first event. @param owner a population, or the id of a workspace */
  beginning(owner: string): string;
  after(root: string, event: Event): string;
}

/**
 * The reason why an event does not belong behind those before it, as the end of a sentence that begins with it. Streams were
 * written before there was a chain; such an event stands before every one that has it.
 * @param links whether a program that chains wrote the event
 */
export function linkFault(before: { root: string; chained: boolean }, links: boolean, link: unknown) {
  if (links ? link === before.root : !before.chained) return undefined;
  return 'does not carry the hash of the events before it: one of them was changed, taken away or put in';
}

/** The reason why an approval, or the request of one, could not be made where it stands, as the end of such a sentence. */
export function standingFault(
  { decisions, request }: Standing,
  { proposal, operator, requested_by: first }: { proposal: Proposed; operator: string; requested_by?: string | null },
): string | undefined {
  if (proposal.decisions !== decisions)
    return `rests on a proposal after ${proposal.decisions} decisions where ${decisions} stand before it`;
  if (first === undefined || first === null) return undefined;
  if (request?.proposal.digest === proposal.digest && request.operator === first && eyeOf(first) !== eyeOf(operator))
    return undefined;
  return 'names a first operator who did not request it';
}
