/**
 * A scorer that nothing was fitted for: for tests of how one is stored, loaded and approved, which no score decides; and covariances
 * of worlds that were not measured.
 */
import { littleEndian } from '#science/numerics/little-endian';
import { type ClaimEvidence, VECTOR_LENGTH } from '../../evidence.js';
import { bankOfEvidence } from '../bank.js';
import { type ScorerHeader, scorerBytes } from '../bytes.js';
import { ladderFor, type ScorerLadders } from '../ladders.js';
import { TRIANGLE } from '../map.js';
import { LEFT_OUT } from '../method.js';
import { PopulationScorer } from '../scorer.js';

/** Directions of every map, about as many as a fitted one has. */
const DIRECTIONS = 64;

/** Each claim is a group, and each map keeps the first directions of the vectors as they are. */
export function madeScorer(evidence: ClaimEvidence, ladders: ScorerLadders): PopulationScorer {
  const bank = bankOfEvidence(evidence, evidence.size);
  const groups = Int32Array.from({ length: bank.claims }, (_, claim) => claim);
  const [rough, polish] = [new Float32Array(VECTOR_LENGTH), new Float32Array(VECTOR_LENGTH)];
  const rows = new Float32Array(DIRECTIONS * VECTOR_LENGTH);
  for (let row = 0; row < DIRECTIONS; row++) rows[row * VECTOR_LENGTH + row] = 1;
  const maps = LEFT_OUT.map(() => evidence.encoders.map(() => ({ rough, polish, rows })));
  const ladder = ladderFor(ladders, bank.claims);
  const header: ScorerHeader = {
    method: ladders.method,
    population: evidence.population,
    model: evidence.model,
    encoders: [...evidence.encoders],
    claims: evidence.size,
    evidence_digest: evidence.digest(),
    groups: [...groups],
    weights: [...groups].map(() => 1),
    directions: maps.map((map) => map.map(() => DIRECTIONS)),
    ladder: { groups: ladder.groups, population: ladders.source.judged.population, rungs: ladder.rungs },
    curve: { ...ladder.p_match_5050, from: 'shipped' },
  };
  return PopulationScorer.load(scorerBytes(header, { method: ladders.method, bank, groups, maps }));
}

/** Worlds whose stones differ in the first directions, and whose sides do in the two after them. */
export function madeWorlds(encoders: number, traits = 12): NonNullable<ScorerLadders['worlds']> {
  const diagonal = (of: (i: number) => number) => {
    const lower = new Float32Array(TRIANGLE);
    for (let i = 0; i < VECTOR_LENGTH; i++) lower[(i * (i + 3)) / 2] = of(i);
    return littleEndian(lower).toString('base64');
  };
  const within = diagonal((i) => (i < traits || i > traits + 1 ? 0.001 : 0.02));
  const across = diagonal((i) => (i < traits ? 0.02 : 0));
  return {
    source: { population: 'randomised', seed: 1, first_stone: 0, stones: 10, refused: 0 },
    covariances: Array.from({ length: encoders }, () => ({ within, across })),
  };
}
