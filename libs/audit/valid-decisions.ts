/** Logs held to what may stand in them: the whole, as `mvs events verify` does, or what one population's approvals rest on. */
import { createHash } from 'node:crypto';
import { calibrationChain } from '#calibration/chain';
import type { CalibrationEvent } from '#calibration/events';
import { CountedClaims } from '#catalogue/counted-claims';
import { LogInvariants } from '#catalogue/invariants';
import { isDecision, restsOn, verifyDecisions } from '#catalogue/verify-decisions';
import { streamPrefixes, streams } from '#domain/streams';
import { type EventReader, type RecordedEvent, UnreadableEvent } from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import { readEvents, StreamUndecidable } from '#kit/log/stored-events';
import { lotScorerChain } from '#lots/chain';

/**
 * The invariants of a log, with its calibration and figure streams read ahead: the claims that they rest on are counted on
 * the way.
 * @param fromMiddle of events that stand behind others, which are not given
 */
export async function invariantsOf(reader: EventReader, fromMiddle = false): Promise<LogInvariants<RecordedEvent>> {
  const { calibration, figure } = streamPrefixes;
  const decisions: RecordedEvent[] = [];
  const ahead = fromMiddle ? [] : readThrough(reader, { streamPrefixes: [calibration, figure] });
  for await (const event of ahead) if (!(event instanceof UnreadableEvent)) decisions.push(event);
  const chains = { calibration: calibrationChain, lotScorer: lotScorerChain };
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  return new LogInvariants(chains, decisions, sha256, fromMiddle);
}

/** The log does not bear the population's approvals out: no verifier would find a bundle of them sound. */
export class InvalidDecisions extends Error {
  override readonly name = 'InvalidDecisions';
}

/**
 * A population's decisions, each of which holds.
 * @throws InvalidDecisions naming the first that does not
 */
export async function soundDecisions(
  reader: EventReader,
  population: string,
): Promise<(CalibrationEvent & RecordedEvent)[]> {
  const stream = streams.calibration(population);
  const events = await readEvents<CalibrationEvent>(reader, stream).catch((error: Error) => {
    throw error instanceof StreamUndecidable ? new InvalidDecisions(error.message) : error;
  });
  const last = events.at(-1);
  if (!last) return [];
  const decisions = events.filter(isDecision);
  const claims = new CountedClaims(decisions.flatMap((event) => restsOn(event) ?? []));
  const { claims: allClaims, bank, calibration } = streamPrefixes;
  for await (const event of reader.readAll({ streamPrefixes: [allClaims, bank(population), calibration] })) {
    if (event.position > last.position) break;
    claims.take(event);
  }
  for (const [revision, problem] of verifyDecisions(events, calibrationChain, claims).problems) {
    const { position, type } = events.find((event) => event.revision === revision) as RecordedEvent;
    throw new InvalidDecisions(`event ${position} (${type}, revision ${revision} of stream ${stream}) ${problem}`);
  }
  return decisions;
}
