import { VECTOR } from '#science/matching/model';
import { isOnManifold } from '#science/spectra/gauges/index';
import { Refusal, type Side } from '#science/spectra/refusal';
import type { Matcher, MeasuredSide } from '../../apps/cli/matcher.js';
import { ascending } from '../gauges/study.js';
import {
  absorptionTables,
  MEAN_SHAPES,
  populationNamed,
  Random,
  type SimulatedScan,
  simulateStone,
} from '../simulator/index.js';
import type { InventedFigures } from './figures.js';
import { rowOf, type Stones } from './stones.js';

const BUMPS = 40;
const NOISE = 4e-4;

/**
 * Spectra of no stone: smooth bumps with white noise over the lattice of diamond on a population's axis, made as the 6 + 1
 * scans of stones and judged as the service judges them. Returns those that would count as evidence.
 */
export async function inventStones(
  matcher: Matcher,
  name: string,
  seed: number,
  made: number,
): Promise<{ stones: Stones; figures: InventedFigures }> {
  const { rough: axis } = simulateStone(populationNamed(name), seed, 0, { roughScans: 1, polishScans: 0 });
  const { wavenumbers } = ascending(axis[0]);
  const kept: Record<Side, MeasuredSide>[] = [];
  let refused = 0;
  for (let stone = 0; stone < made; stone++) {
    const random = new Random('invented', name, seed, stone);
    const curve = inventCurve(wavenumbers, random);
    const measure = (side: Side, scans: number, scale: number) =>
      matcher.measure({
        side,
        references: [],
        scans: Array.from({ length: scans }, (): SimulatedScan => {
          const absorbance = curve.map((value) => scale * value + NOISE * random.normal());
          return { wavenumbers, absorbance };
        }),
      });
    try {
      const sides = { rough: await measure('rough', 6, 1), polish: await measure('polish', 1, 0.6) };
      if (onManifold(sides.rough) && onManifold(sides.polish)) kept.push(sides);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused++;
    }
  }
  const { encoders } = matcher.model;
  const width = encoders.length * VECTOR;
  const stones: Stones = {
    name: `invented ${name} ${seed}`,
    count: kept.length,
    encoders: encoders.length,
    width,
    rough: new Float32Array(kept.length * width),
    polish: new Float32Array(kept.length * width),
    mispaired: new Uint8Array(kept.length),
  };
  for (const [i, sides] of kept.entries())
    for (const side of ['rough', 'polish'] as const)
      for (const [e, vector] of sides[side].vectors.entries()) rowOf(stones, side, i).set(vector, e * VECTOR);
  const offManifold = made - refused - kept.length;
  return { stones, figures: { population: name, made, refused, offManifold, lattice: true } };
}

const onManifold = ({ gauges }: MeasuredSide): boolean => isOnManifold(gauges.detailResidual);

/**
 * Absorbance on an axis: 0.5, three millimetres of the diamond's lattice, without which a scan is refused, and bumps where
 * diamonds absorb, 15 to 400 cm^-1 wide.
 */
function inventCurve(wavenumbers: Float64Array, random: Random): Float64Array {
  const curve = new Float64Array(wavenumbers.length).fill(0.5);
  const { from, values } = absorptionTables(wavenumbers, MEAN_SHAPES).components.lattice;
  for (const [i, perCentimetre] of values.entries()) curve[from + i] += (0.3 * perCentimetre) / Math.LN10;
  for (let bump = 0; bump < BUMPS; bump++) {
    const centre = random.between(700, 3800);
    const width = random.logBetween(15, 400);
    const height = 0.3 * random.normal();
    for (const [i, w] of wavenumbers.entries()) curve[i] += height * Math.exp(-(((w - centre) / width) ** 2) / 2);
  }
  return curve;
}
