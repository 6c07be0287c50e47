import { shippedEntry } from '#science/calibration/asset';
import type { Compute } from '#science/compute/port';
import type { PoisoningFigures, PoisonKind } from './figures.js';
import { counted } from './measure-claims.js';
import { figuresAt, type Population, type Repetition, stonesOf } from './measure-proposals.js';
import { findingsOf } from './poison-findings.js';
import { POISONS, poisonedClaims } from './poisoning.js';
import { type Proposing, propose, spread } from './repeat.js';
import type { Stones } from './stones.js';

const KINDS = Object.keys(POISONS) as PoisonKind[];
const SHARES = [0.05, 0.2, 0.4, 0.8];
/** The rungs for which so many claims suffice. */
const RUNGS = [0.98, 0.95] as const;
const sharesOf = (kind: PoisonKind) => (kind === 'none' ? [0] : SHARES);
export const POISONINGS = KINDS.reduce((sum, kind) => sum + sharesOf(kind).length, 0);

/** Proposals from genuine claims and poison, as to the wrong claims that they accept on stones that are not among them. */
export async function measurePoisoning(
  proposing: Proposing & { compute: Compute },
  population: Population & { again: Stones; invented: Stones },
  { claims, repetitions }: { claims: number; repetitions: number },
  onKind: () => void,
): Promise<PoisoningFigures[]> {
  const { name, seed, drawn, truth } = population;
  const shipped = shippedEntry(proposing.asset, 0.98).threshold;
  const figures: PoisoningFigures[] = [];
  for (const kind of KINDS)
    for (const share of sharesOf(kind)) {
      const next = await poisonedClaims({ ...population, compute: proposing.compute }, { kind, share, claims, seed });
      const results: Repetition[] = [];
      let mixture = await next();
      const findings = findingsOf(mixture, proposing.model, shipped);
      for (let i = 0; i < repetitions; i++) {
        if (i > 0) mixture = await next();
        const sent = [...mixture.genuine, ...mixture.poison];
        results.push({ stones: stonesOf(sent, drawn), measured: await propose(proposing, name, sent) });
      }
      const at98 = results.map(({ measured }) => figuresAt(measured, 0.98));
      const mean = (pick: (one: Repetition) => number) => spread(results.map(pick)).mean;
      figures.push({
        population: name,
        kind,
        share,
        claims,
        repetitions,
        reached: Object.fromEntries(
          RUNGS.map((rung) => [
            rung,
            spread(results.map((one) => truth.wrongAbove(figuresAt(one.measured, rung).threshold, one.stones))),
          ]),
        ),
        roughs: mean(({ measured }) => measured.roughs),
        polishes: mean(({ measured }) => measured.polishes),
        none: counted(at98.filter((one) => one.expected_genuine_accept === null).length, repetitions),
        below: counted(at98.filter(({ threshold }) => threshold < shipped).length, repetitions),
        ...findings,
      });
      onKind();
    }
  return figures;
}
