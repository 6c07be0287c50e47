/** A population on its way from one log to another: what is its own, and what stays. */
import { isChained, MovedDecisions } from '#audit/moved';
import { PopulationStreams } from '#catalogue/population-streams';
import { FINDINGS } from '#domain/shapes';
import { streamPrefixes } from '#domain/streams';
import { findingId } from '#findings/counting';
import type { EventReader, RecordedEvent } from '#kit/log/port';
import { BadExport, checkExport, type ExportSummary, type Part } from '#kit/log/transfer';
import { InputError } from './exit.js';

/** A population's part of a log, which counts what it meets. */
export class PopulationPart implements Part {
  readonly streams: PopulationStreams;

  constructor(readonly population: string) {
    this.streams = new PopulationStreams(population, (keyId, claimId) =>
      FINDINGS.map((kind) => findingId(kind, keyId, claimId)),
    );
  }

  takes(event: RecordedEvent): boolean {
    return this.streams.takes(event);
  }

  /** The lines of an export of it. @throws InputError after the last where there is no such population */
  async *knownIn(lines: AsyncIterable<string>): AsyncGenerator<string> {
    yield* lines;
    if (this.streams.keys > 0) return;
    const others = [...this.streams.staying.populations].sort().join(', ') || 'none';
    throw new InputError(`no key of the log is of a population ${this.population}; populations: ${others}`);
  }

  /** The exported and the remaining parts, in sentences. */
  summary(): string {
    const { keys, claims, staying } = this.streams;
    const { populations, workspaces, lots, switches, skips, foreign } = staying;
    const stays = [
      populations.size > 0 && `populations ${[...populations].sort().join(', ')}`,
      workspaces > 0 && `${workspaces} workspaces with ${lots} lots`,
      switches > 0 && `which model is live (${switches} switches)`,
      skips > 0 && `${skips} events that views pass over`,
      foreign > 0 && `${foreign} events of other applications`,
      'counts of refused calls, operators and settings',
    ].filter(Boolean);
    return `Exported population ${this.population}: ${keys} keys, ${claims} claims and what belongs to them. Stays: ${stays.join('; ')}.`;
  }
}

/**
 * An export of a population held to what may be in it, and to what its decisions come to in the log that it goes into.
 * @param lines the export from its beginning, again at each call
 * @returns what of the log the export stands for
 * @throws BadExport
 */
export async function partToImport(
  { population, revisions }: ExportSummary & { population: string },
  lines: () => AsyncIterable<string>,
  reader: EventReader,
): Promise<Part> {
  const decisions: RecordedEvent[] = [];
  const exported = new PopulationPart(population);
  await checkExport(lines(), (event) => {
    if (!exported.takes(event))
      throw new BadExport(
        `line ${event.position} of the export is of stream ${event.stream}, which is not of ${population}`,
      );
    if (event.stream.startsWith(streamPrefixes.calibration)) decisions.push(event);
  });
  const moved = new MovedDecisions(decisions);
  await checkExport(lines(), (event) => moved.take(event));
  const lost = moved.lostWhere(await isChained(reader));
  if (lost !== undefined)
    throw new BadExport(
      `the decision at revision ${lost} of ${population} was made by a release before decisions were chained, and would not ` +
        'hold in an audit of a log that chains: approve again where the population is, then export again',
    );
  const there = new PopulationPart(population);
  return {
    population,
    takes(event) {
      const own = there.takes(event);
      return own || revisions.has(event.stream);
    },
  };
}
