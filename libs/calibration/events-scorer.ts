import { type EventIn, event } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { count, described, list, text } from '#domain/schemas';
import { aDigest, LINE_CHARACTERS, MAX_LINES, population } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Events that hold the bytes of scorers. */
export const scorerEvents = {
  ScorerPart: event(
    1,
    {
      name: 'scorer-{population}-{scorer digest}',
      is: (stream, { population, scorer }) => stream === streams.scorer(population, scorer),
    },
    'a part of the bytes of a scorer, or of the ladders it was made with; all of them before the event that names it',
    {
      population,
      scorer: described(aDigest, 'SHA-256 of all bytes, 64 hex'),
      part: described(count, 'which part, from 0'),
      parts: described(count, 'of how many'),
      lines: described(
        list(text(LINE_CHARACTERS, '^[A-Za-z0-9+/]+={0,2}$'), MAX_LINES),
        'the bytes in base64, up to 1,024 a line',
      ),
    },
  ),
};

/** A part of a scorer's bytes. They are its identity: storing them again stores the same. */
export type ScorerPart = EventIn<typeof scorerEvents, 'ScorerPart'>;

/** The parts so far, in order. */
export interface StoredScorer {
  parts: number;
  pieces: readonly (readonly string[])[];
}

export const noScorer: StoredScorer = { parts: 0, pieces: [] };

/** The first part says how many there are; one out of turn is not the service's. */
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
