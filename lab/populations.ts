import { isSecondFamily, SECOND_FAMILY } from './second-family/populations.js';
import { simulateSecondFamily } from './second-family/simulate.js';
import {
  decoy,
  POPULATIONS,
  type Population,
  populationNamed,
  Random,
  type SimulatedStone,
  type SimulationOptions,
  simulateStone,
} from './simulator/index.js';

/** Populations of both simulators. */
export const POPULATION_NAMES = [...Object.keys(POPULATIONS), ...SECOND_FAMILY];

/** A stone of a population of either simulator, by name. Throws a RangeError for another name. */
export function simulateNamed(name: string, seed: number, stone: number, options?: SimulationOptions): SimulatedStone {
  if (isSecondFamily(name)) return simulateSecondFamily(name, seed, stone, options);
  return simulateStone(populationNamed(name), seed, stone, options);
}

/** A random decoy: the n-th other stone of the population that somebody might claim, numbered from 1. */
export function decoyNamed(
  name: string,
  seed: number,
  stone: number,
  n: number,
  options?: SimulationOptions,
): SimulatedStone {
  if (!isSecondFamily(name)) return decoy(populationNamed(name), seed, stone, n, options);
  const other = (stone + 1 + new Random(name, seed, stone, 'decoy', n).below(0x3fffffff)) % 0x40000000;
  return simulateSecondFamily(name, seed, other, options);
}

/** Stones that share a world (mines, mix, instrument); infinite where all of a population do. */
export const stonesAWorld = (name: string): number =>
  isSecondFamily(name) ? Number.POSITIVE_INFINITY : populationNamed(name).block;

/** The first simulator's population, for what only that one can do; undefined for the second family's. */
export const firstFamily = (name: string): Population | undefined =>
  isSecondFamily(name) ? undefined : populationNamed(name);
