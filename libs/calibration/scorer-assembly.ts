import { streams } from '#domain/streams';
import { evolveScorerParts, noScorer, type ScorerPart, type StoredScorer, scorerBytes } from './events-scorer.js';

/** The scorers that stand whole in a log, part after part in the log's order. */
export class ScorerAssembly {
  /** By stream, its parts so far; null from the last one on, whatever they make. */
  private readonly stored = new Map<string, StoredScorer | null>();
  private readonly whole = new Set<string>();

  /** @param sha256 64 hex digits; handed in, because the domain has none */
  constructor(private readonly sha256: (bytes: Uint8Array) => string) {}

  /** The next part. @returns what is wrong with it, as the end of a sentence that begins with it */
  take(stream: string, data: ScorerPart['data']): string | undefined {
    const before = this.stored.get(stream);
    const part: ScorerPart = { type: 'ScorerPart', version: 1, data };
    const after = before === null ? before : evolveScorerParts(before ?? noScorer, part);
    if (after === null || after === before || after === noScorer) return 'is a part out of turn; it is passed over';
    const bytes = scorerBytes(after);
    this.stored.set(stream, bytes ? null : after);
    if (!bytes) return undefined;
    if (this.sha256(bytes) !== data.scorer) return 'completes a scorer whose bytes are not what its digest says';
    this.whole.add(stream);
    return undefined;
  }

  has(population: string, scorer: string): boolean {
    return this.whole.has(streams.scorer(population, scorer));
  }
}
