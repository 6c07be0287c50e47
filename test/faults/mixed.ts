/** Which mixtures of two roughs the shipped model confirms for a polish, though they are roughs of their own to it. */
import { shippedEntry } from '#calibration';
import { createCompute } from '#compute';
import { encodeScans, fusedScore, placeModel, poolSide, readModelFolder, shippedModelFolder } from '#matching';
import type { SimulatedScan, SimulatedStone } from '#simulator';
import { prepareSide } from '#spectra';
import { SAME_ROUGH } from '#views';

/** Well below the likeness that makes two roughs of one polish the same stone for a finding (docs/findings.md). */
const UNLIKE = SAME_ROUGH.cosine - 0.05;
/** How far above the threshold a score is to be. */
const MARGIN = 0.02;

/** Half of one rough and half of another, scan by scan. */
export const mixtureOf = (rough: readonly SimulatedScan[], other: readonly SimulatedScan[]): SimulatedScan[] =>
  rough.map(({ wavenumbers, absorbance }, scan) => ({
    wavenumbers,
    absorbance: absorbance.map((value, i) => (value + other[scan].absorbance[i]) / 2),
  }));

/**
 * @param simulate stone by number
 * @returns for `count` of the first `stones` the number of the stone whose rough is to be mixed in
 */
export async function confirmedTwice(
  simulate: (stone: number) => SimulatedStone,
  stones: number,
  count: number,
): Promise<Map<number, number>> {
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
    return (await encodeScans(placed, side.spectra, scans.length)).map(poolSide);
  };
  const found = new Map<number, number>();
  for (let stone = 0; stone < stones && found.size < count; stone++) {
    const { rough, polish } = simulate(stone);
    const [own, polished] = [await encode(rough), await encode(polish)];
    if (fusedScore(own, polished) < threshold + MARGIN) continue;
    for (let other = 0; other < stones; other++) {
      const mixed = await encode(mixtureOf(rough, simulate(other).rough));
      if (fusedScore(mixed, polished) < threshold + MARGIN || fusedScore(mixed, own) > UNLIKE) continue;
      found.set(stone, other);
      break;
    }
  }
  placed.release();
  await compute.close();
  if (found.size < count) throw new Error(`only ${found.size} mixtures are confirmed for a polish`);
  return found;
}
