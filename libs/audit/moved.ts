/** Checks that a population's decisions count in the log that it moves to as they did in the log of their making. */

import { calibrationChain } from '#calibration/chain';
import { CountedClaims } from '#calibration/counted-claims';
import {
  isDecision,
  isOfChainingProgram,
  type LogFacts,
  restsOn,
  verifyDecisions,
} from '#calibration/verify-decisions';
import type { EventReader, RecordedEvent } from '#kit/log/port';

export class MovedDecisions {
  readonly #claims: CountedClaims;

  /** @param decisions the population's calibration events, in their order */
  constructor(private readonly decisions: readonly RecordedEvent[]) {
    this.#claims = new CountedClaims(decisions.filter(isDecision).flatMap((event) => restsOn(event) ?? []));
  }

  /** The next event of the population, in the log's order: its claims are counted. */
  take(event: RecordedEvent): void {
    this.#claims.take(event);
  }

  /**
   * The first decision that would no longer count, by its revision.
   * @param chains whether a program that chains has written into the log to which they go
   */
  lostWhere(chains: boolean): bigint | undefined {
    const claims = this.#claims;
    const there: LogFacts = {
      chainedFrom: () => (chains ? 0n : claims.chainedFrom()),
      claimAt: (population, model, n) => claims.claimAt(population, model, n),
    };
    const [here, then] = [claims, there].map(
      (facts) => verifyDecisions(this.decisions, calibrationChain, facts).problems,
    );
    return [...then.keys()].find((revision) => !here.has(revision));
  }
}

/** True if a program that chains decisions has written into the log. */
export async function isChained(reader: EventReader): Promise<boolean> {
  for await (const event of reader.readAll()) if (isOfChainingProgram(event)) return true;
  return false;
}
