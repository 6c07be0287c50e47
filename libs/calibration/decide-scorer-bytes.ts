import type { Decider } from '#domain/decider';
import { MAX_LINES } from '#domain/shapes';
import { evolveScorerParts, noScorer, type ScorerPart, type StoredScorer } from './events-scorer.js';

/** Bytes a line. */
const LINE = 1024;

export interface StoreScorer {
  population: string;
  /** SHA-256 of the bytes, 64 hex digits. */
  scorer: string;
  bytes: Uint8Array;
}

/** Stores the parts that are not there yet: a crash between two leaves the others to the next attempt. */
export const scorerPartsDecider: Decider<StoredScorer, StoreScorer, ScorerPart> = {
  initial: noScorer,
  evolve: evolveScorerParts,
  decide({ pieces }, { population, scorer, bytes }) {
    const lines = Array.from({ length: Math.ceil(bytes.length / LINE) }, (_, i) =>
      Buffer.from(bytes.subarray(i * LINE, (i + 1) * LINE)).toString('base64'),
    );
    const parts = Math.ceil(lines.length / MAX_LINES);
    const part = (i: number): ScorerPart => ({
      type: 'ScorerPart',
      version: 1,
      data: { population, scorer, part: i, parts, lines: lines.slice(i * MAX_LINES, (i + 1) * MAX_LINES) },
    });
    return { events: Array.from({ length: parts - pieces.length }, (_, i) => part(pieces.length + i)) };
  },
};
