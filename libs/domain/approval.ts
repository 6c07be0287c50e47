/** Approvals by one operator or, under the four-eyes rule, by two. */

/** The rule that says if one operator suffices. */
export interface ApprovalRule {
  fourEyes: boolean;
  /** Operators who may approve now: the request of somebody who is no operator any more has lapsed. */
  operators: readonly string[];
}

interface Request {
  operator: string;
  proposal: { digest: string };
}

/** The request that waits for a second operator; one of somebody who is none any more has lapsed. */
export const pendingRequest = <R extends Request>({ request }: { request?: R }, operators: readonly string[]) =>
  request && operators.includes(request.operator) ? request : undefined;

/**
 * The result of an operator's approval of a proposal: granted, requested of a second one, or refused because it is the same
 * one's.
 */
export function grantOf(
  request: Request | undefined,
  digest: string,
  operator: string,
  { fourEyes, operators }: ApprovalRule,
): { requested_by: string | null } | 'request' | 'refused' {
  if (!fourEyes) return { requested_by: null };
  const pending = pendingRequest({ request }, operators);
  if (pending?.proposal.digest !== digest) return 'request';
  return pending.operator === operator ? 'refused' : { requested_by: pending.operator };
}
