/** Stones that the shipped model distinguishes, so that what findings are due follows from the claims alone. */

import { NEAR, SAME_ROUGH } from '#findings/nearness';
import { shippedEntry } from '#science/calibration/asset';
import { createCompute } from '#science/compute/choose';
import { encodeSides, fusedScore, placeModel } from '#science/matching/encoder';
import { readModelFolder } from '#science/matching/folder';
import { shippedModelFolder } from '#science/matching/shipped';
import { prepareSide } from '#science/spectra/scan-set';
import type { SimulatedScan, SimulatedStone } from '#simulator';

/** Well below the likeness that makes two scan sets the same stone for a finding (reports/findings.md). */
const UNLIKE = { rough: SAME_ROUGH.cosine - 0.05, polish: NEAR.rescan.cosine - 0.08 };
/** Margins of the mixed rough, of which few do: its score above the threshold, its likeness to the stone's own below the limit. */
const MIXED = { score: 0.005, rough: 0.002 };
/** Stones to choose from for each that is wanted. */
const POOL = 8;

/** Half of one rough and half of another, scan by scan. */
export const mixtureOf = (rough: readonly SimulatedScan[], other: readonly SimulatedScan[]): SimulatedScan[] =>
  rough.map(({ wavenumbers, absorbance }, scan) => ({
    wavenumbers,
    absorbance: absorbance.map((value, i) => (value + other[scan].absorbance[i]) / 2),
  }));

export interface Stones {
  /** Numbers of stones, no two of which have polishes alike, nor two that follow each other roughs. */
  stones: number[];
  /** One of them whose polish is confirmed for a second rough too: half its own and half that of `other`, any stone. */
  twice: { stone: number; other: number };
}

/** @param simulate stone by number */
export async function chooseStones(simulate: (stone: number) => SimulatedStone, count: number): Promise<Stones> {
  const { model, asset } = readModelFolder(shippedModelFolder());
  const { threshold } = shippedEntry(asset, 0.98);
  const compute = await createCompute('simd');
  const placed = await placeModel(model, compute);
  const encode = async (scans: readonly SimulatedScan[]) => {
    const ascending = scans.map(({ wavenumbers, absorbance }) =>
      wavenumbers[0] < wavenumbers[1]
        ? { wavenumbers, absorbance }
        : { wavenumbers: wavenumbers.toReversed(), absorbance: absorbance.toReversed() },
    );
    const side = prepareSide({ side: 'rough', scans: ascending, references: [] }, model.input.sampling);
    const [vectors] = await encodeSides(placed, side.spectra, [scans.length]);
    return vectors;
  };
  const chosen: { stone: number; rough: Float32Array[]; polish: Float32Array[] }[] = [];
  for (let stone = 0; stone < POOL * count && chosen.length < count; stone++) {
    const simulated = simulate(stone);
    const [rough, polish] = [await encode(simulated.rough), await encode(simulated.polish)];
    // A wrong claim names the rough of the next stone, the last one's that of the first.
    const neighbours = [chosen.at(-1), ...(chosen.length === count - 1 ? [chosen[0]] : [])];
    if (neighbours.some((one) => one && fusedScore(one.rough, rough) > UNLIKE.rough)) continue;
    if (chosen.some((one) => fusedScore(one.polish, polish) > UNLIKE.polish)) continue;
    chosen.push({ stone, rough, polish });
  }
  const twice = await confirmedTwice();
  placed.release();
  await compute.close();
  if (chosen.length < count || !twice) throw new Error('the shipped model distinguishes too few stones');
  return { stones: chosen.map(({ stone }) => stone), twice };

  async function confirmedTwice(): Promise<Stones['twice'] | undefined> {
    for (const { stone, rough, polish } of chosen) {
      if (fusedScore(rough, polish) < threshold + MIXED.score) continue;
      for (let other = 0; other < POOL * count; other++) {
        if (other === stone) continue;
        const mixed = await encode(mixtureOf(simulate(stone).rough, simulate(other).rough));
        if (
          fusedScore(mixed, polish) > threshold + MIXED.score &&
          fusedScore(mixed, rough) < SAME_ROUGH.cosine - MIXED.rough
        ) {
          return { stone, other };
        }
      }
    }
    return undefined;
  }
}
