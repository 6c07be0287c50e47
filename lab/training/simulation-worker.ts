import type { SimulatedScan, SimulatedStone } from '#simulator';
import { prepareSide, REFERENCE_POINTS, type Sampling, type Side } from '#spectra';
import { simulateNamed } from '../populations.js';
import { type SimulationJob, stonesOf, type TableRecipe } from './simulated-table.js';

/** A side's scans on the reference axis (count x 671), as the service prepares them. */
export function spectraOf(side: Side, scans: SimulatedScan[], sampling?: Sampling): Float32Array {
  const ascending = scans.map((scan) => {
    const descending = scan.wavenumbers[0] > scan.wavenumbers[scan.wavenumbers.length - 1];
    if (!descending) return scan;
    return { wavenumbers: scan.wavenumbers.toReversed(), absorbance: scan.absorbance.toReversed() };
  });
  return prepareSide({ side, references: [], scans: ascending }, sampling).spectra;
}

/** The stone in place `index` of the table. */
export function stoneAt(recipe: TableRecipe, index: number): SimulatedStone {
  let place = index;
  for (const { population, seed, from, stones, lookAlike, session } of recipe.draws) {
    if (place >= stones) {
      place -= stones;
      continue;
    }
    const options = { roughScans: recipe.rough, polishScans: recipe.polish, lookAlike, session };
    return simulateNamed(population, seed, from + place, options);
  }
  throw new RangeError(`the table has no place ${index}`);
}

/** Fills a table's places, as long as one is left, beside other threads that do the same. */
export function simulateStones({ recipe, spectra, wrong, next }: SimulationJob): void {
  const stones = stonesOf(recipe);
  const size = (recipe.rough + recipe.polish) * REFERENCE_POINTS;
  for (let index = Atomics.add(next, 0, 1); index < stones; index = Atomics.add(next, 0, 1)) {
    const stone = stoneAt(recipe, index);
    wrong[index] = Number(stone.mispaired);
    spectra.set(spectraOf('rough', stone.rough, recipe.sampling), index * size);
    spectra.set(spectraOf('polish', stone.polish, recipe.sampling), index * size + recipe.rough * REFERENCE_POINTS);
  }
}
