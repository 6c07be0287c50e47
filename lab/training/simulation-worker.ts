import { REFERENCE_POINTS } from '#science/spectra/axis';
import { Refusal } from '#science/spectra/refusal';
import { simulateNamed } from '../populations.js';
import type { SimulatedStone } from '../simulator/index.js';
import { type SimulationJob, spectraOf, stonesOf, type TableRecipe } from './simulated-table.js';

/** The stone in place `index` of the table. */
export function stoneAt(recipe: TableRecipe, index: number): SimulatedStone {
  let place = index;
  for (const { population, seed, from, stones } of recipe.draws) {
    if (place >= stones) {
      place -= stones;
      continue;
    }
    const scans = { roughScans: recipe.rough, polishScans: recipe.polish };
    return simulateNamed(population, seed, from + place, scans);
  }
  throw new RangeError(`the table has no place ${index}`);
}

/** Fills a table's places, as long as one is left, while other threads do the same. */
export function simulateStones({ recipe, spectra, wrong, next }: SimulationJob): void {
  const stones = stonesOf(recipe);
  const size = (recipe.rough + recipe.polish) * REFERENCE_POINTS;
  for (let index = Atomics.add(next, 0, 1); index < stones; index = Atomics.add(next, 0, 1)) {
    const stone = stoneAt(recipe, index);
    wrong[index] = Number(stone.mispaired);
    try {
      spectra.set(spectraOf('rough', stone.rough, recipe.sampling), index * size);
      spectra.set(spectraOf('polish', stone.polish, recipe.sampling), index * size + recipe.rough * REFERENCE_POINTS);
    } catch (error) {
      // One stone of tens of thousands, too thick for its drawn world, shows no light and is refused: no reason to end a training.
      if (!(error instanceof Refusal && recipe.leaveOutRefused)) throw error;
      wrong[index] = 1;
      spectra.fill(0, index * size, (index + 1) * size);
    }
  }
}
