import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

/** A part of a scorer's bytes. They are its identity, so that whoever stores them again stores the same. */
export type ScorerPart = EventOf<'ScorerPart'>;

/** The parts so far, in order. */
export interface StoredScorer {
  parts: number;
  pieces: readonly (readonly string[])[];
}

export const noScorer: StoredScorer = { parts: 0, pieces: [] };

/** The first part says how many there are; one out of turn is none of the service's. */
export function evolveScorerParts(state: StoredScorer, event: ScorerPart): StoredScorer {
  switch (event.type) {
    case 'ScorerPart': {
      const { part, parts, lines } = event.data;
      const inTurn = part === state.pieces.length && part < parts && (part === 0 || parts === state.parts);
      return inTurn ? { parts, pieces: [...state.pieces, lines] } : state;
    }
    default:
      return never(event.type);
  }
}

/** All bytes, where every part is there. */
export function scorerBytes({ parts, pieces }: StoredScorer): Uint8Array | undefined {
  if (parts === 0 || pieces.length < parts) return undefined;
  return Buffer.concat(pieces.flatMap((lines) => lines.map((line) => Buffer.from(line, 'base64'))));
}
