/** Claims that try to deceive, scored as the service would. Runs on worker threads, which keep their model. */
import { readFileSync } from 'node:fs';
import { fusedScore } from '#science/matching/encoder';
import { loadModel } from '#science/matching/model';
import { Refusal, type Side } from '#science/spectra/refusal';
import { Matcher } from '../../apps/cli/matcher.js';
import {
  ascending,
  parseAttack,
  populationNamed,
  type SimulatedScan,
  type SimulatedStone,
  simulateStone,
} from '../simulator/index.js';

export const CLAIM_KINDS = {
  genuine: 'the stone itself',
  random: 'the polish of another stone, at random',
  'look-alike': 'the polish of another stone of the same pocket',
  'type IIa': 'both stones of type IIa, another one polished',
  'rough as polish': 'a further scan of the rough itself, sent as the polish',
  blend: "another stone's polish and a further scan of the claimed rough, averaged",
  'one right scan': "another stone's polish and a further scan of the claimed rough, as two scans of the polish side",
  'genuine, low rank': 'the stone itself, every scan rebuilt from 30 components',
  'random, low rank': 'another stone at random, every scan rebuilt from 30 components',
} as const;
export type ClaimKind = keyof typeof CLAIM_KINDS;

export interface ClaimRun {
  kind: ClaimKind;
  population: string;
  seed: number;
  /** Stone claimed, and stone polished. */
  pairs: [rough: number, polish: number][];
  modelFile: string;
}

let opened: { modelFile: string; matcher: Matcher } | undefined;

/** The score of each claim; null where a side is refused. */
export async function scoreClaims({ kind, population: name, seed, pairs, modelFile }: ClaimRun) {
  if (opened?.modelFile !== modelFile)
    opened = { modelFile, matcher: await Matcher.open(loadModel(readFileSync(modelFile))) };
  const { matcher } = opened;
  const population = populationNamed(name);
  const lowRank = kind.endsWith('low rank') ? parseAttack('low-rank:30', population) : null;
  const measure = (side: Side, scans: SimulatedScan[]) =>
    matcher.measure({ side, scans: scans.map(ascending), references: [] });
  const scores: (number | null)[] = [];
  for (const [claimed, polished] of pairs) {
    const made = (stone: number, lookAlike?: number): SimulatedStone => {
      const simulated = simulateStone(population, seed, stone, { lookAlike });
      return lowRank ? lowRank.apply(simulated) : simulated;
    };
    const { rough } = made(claimed);
    const [polish] = made(polished, kind === 'look-alike' ? 1 : undefined).polish;
    const [again] = simulateStone(population, seed, claimed, { roughScans: 1, session: 1 }).rough;
    const blend = { ...polish, absorbance: polish.absorbance.map((a, i) => (a + again.absorbance[i]) / 2) };
    const sent = { 'rough as polish': [again], blend: [blend], 'one right scan': [polish, again] };
    try {
      const roughSide = await measure('rough', rough);
      const polishSide = await measure('polish', sent[kind as keyof typeof sent] ?? [polish]);
      scores.push(fusedScore(roughSide.vectors, polishSide.vectors));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      scores.push(null);
    }
  }
  return scores;
}

/** The stones of a run that are of type IIa. */
export function typeIIa(population: string, seed: number, first: number, count: number): number[] {
  const none = { roughScans: 0, polishScans: 0 };
  return Array.from({ length: count }, (_, i) => first + i).filter(
    (stone) => simulateStone(populationNamed(population), seed, stone, none).type === 'IIa',
  );
}
