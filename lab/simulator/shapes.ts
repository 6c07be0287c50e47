import { COMPONENTS, type Component, type ComponentName, NUISANCES, type NuisanceName, type Peak } from './bands.js';
import { cos, exp, PI } from './exact-math.js';
import type { Random } from './random.js';

/** The platelet peak: half widths at half maximum towards low and high wavenumbers, cm^-1, and a factor on its area. */
export interface PlateletShape {
  low: number;
  high: number;
  area: number;
}
const MEAN_PLATELET: PlateletShape = { low: 6.5, high: 4.5, area: 1 };

/** The band shapes of a world: absorption of its stones, its films and its residual gases. */
export interface Shapes {
  components: Record<Exclude<ComponentName, 'brown'>, Component>;
  nuisances: Record<NuisanceName, Component>;
  platelet: PlateletShape;
}

export const MEAN_SHAPES: Shapes = { components: COMPONENTS, nuisances: NUISANCES, platelet: MEAN_PLATELET };

/** Unknown peaks that a drawn component has besides its own, and their largest height in heights of its tallest. */
const UNKNOWN_PEAKS = 4;
const UNKNOWN_HEIGHT = 0.15;

/** Distance over which neighbouring peaks are moved, and grow and shrink, together, cm^-1. */
const NEIGHBOURHOOD = 60;

/**
 * Shapes of a new world. Nobody knows the true shapes of every laboratory's stones, so that an encoder must not rely on
 * them: each peak has its own position (sd 8% of its width, 12 cm^-1 at most), width (20%, and 15% common to the
 * component), height (35%) and, one time in seven, the other line shape; neighbours are moved (2.5 cm^-1) and changed in
 * height (20%) together; the component is shifted as a whole (1.5 cm^-1), has another edge, absorbs more or less per unit
 * of concentration (25%), and has smooth unknown peaks.
 * @param wider factor on all of these deviations
 */
export function drawShapes(random: Random, wider = 1): Shapes {
  const nuisances = { ...NUISANCES, waterVapour: { peaks: drawVapour(random) } };
  const components = Object.fromEntries(
    Object.entries<Component>(COMPONENTS).map(([name, component]) => [name, drawComponent(component, random, wider)]),
  ) as Shapes['components'];
  const platelet = {
    low: MEAN_PLATELET.low * exp(wider * 0.3 * random.normal()),
    high: MEAN_PLATELET.high * exp(wider * 0.3 * random.normal()),
    area: exp(wider * 0.3 * random.normal()),
  };
  return { components, nuisances, platelet };
}

function drawComponent(mean: Component, random: Random, wider: number): Component {
  const shift = wider * 1.5 * random.normal();
  const common = exp(wider * 0.15 * random.normal());
  const strength = exp(wider * 0.25 * random.normal());
  const heightAt = smoothField(random);
  const moveAt = smoothField(random);
  const peaks: Peak[] = mean.peaks.map(([shape, position, width, height]) => [
    random.chance(1 / 7) ? otherShape(shape, width) : shape,
    position + shift + wider * 2.5 * moveAt(position) + wider * Math.min(0.08 * width, 12) * random.normal(),
    width * common * exp(wider * 0.2 * random.normal()),
    strength * height * exp(wider * 0.2 * heightAt(position) + wider * 0.35 * random.normal()),
  ]);
  const tallest = Math.max(...peaks.map(([, , , height]) => height));
  for (let k = 0; k < UNKNOWN_PEAKS; k++) {
    const [, position, width] = random.pick(mean.peaks);
    peaks.push([
      'g',
      position + 1.5 * width * random.normal(),
      Math.min(300, Math.max(8, width * random.logBetween(0.6, 2.5))),
      wider * tallest * UNKNOWN_HEIGHT * random.between(-1, 1),
    ]);
  }
  const edge =
    mean.edge && ([mean.edge[0] + shift + random.normal(), mean.edge[1] * exp(0.2 * random.normal())] as const);
  return { ...mean, peaks, edge };
}

/**
 * Shapes changed in another way than those of the worlds, for judging on shapes that no training has seen: either every
 * component's curve is warped (8 cm^-1) and made stronger and weaker (50%) as a whole, or each peak is an unresolved pair,
 * and all widths of a component are changed alike (35%).
 */
export function shiftShapes(random: Random): Shapes {
  const nuisances = { ...NUISANCES, waterVapour: { peaks: drawVapour(random) } };
  const warped = random.chance(0.5);
  const shift = ({ peaks, ...rest }: Component): Component => {
    const moveAt = waves(random, 100, 900);
    const gainAt = waves(random, 80, 600);
    const wider = exp(0.35 * random.normal());
    const strength = exp(0.25 * random.normal());
    const warp = ([shape, position, width, height]: Peak): Peak[] => [
      [shape, position + 8 * moveAt(position), width, strength * height * exp(0.5 * gainAt(position))],
    ];
    const pair = ([shape, position, width, height]: Peak): Peak[] => {
      const share = random.between(0.15, 0.85);
      const apart = 0.9 * width * wider;
      const middle = position + 2.5 * random.normal();
      const whole = strength * height * exp(0.4 * random.normal());
      return [
        [shape, middle - apart * (1 - share), 0.85 * width * wider, whole * share],
        [shape, middle + apart * share, 0.85 * width * wider, whole * (1 - share)],
      ];
    };
    return { ...rest, peaks: peaks.flatMap(warped ? warp : pair) };
  };
  const components = Object.fromEntries(
    Object.entries<Component>(COMPONENTS).map(([name, component]) => [name, shift(component)]),
  ) as Shapes['components'];
  const platelet = {
    low: MEAN_PLATELET.low * exp(0.4 * random.normal()),
    high: MEAN_PLATELET.high * exp(0.4 * random.normal()),
    area: exp(0.3 * random.normal()),
  };
  return { components, nuisances, platelet };
}

/** A smooth random function with mean 0 and standard deviation 1, of waves between two lengths, cm^-1. */
function waves(random: Random, min: number, max: number): (wavenumber: number) => number {
  const all = Array.from({ length: 5 }, () => [(2 * PI) / random.logBetween(min, max), random.between(0, 2 * PI)]);
  return (wavenumber) => all.reduce((sum, [k, phase]) => sum + cos(k * wavenumber + phase), 0) * Math.sqrt(2 / 5);
}

/** A smooth random function of the wavenumber with mean 0 and standard deviation 1. */
function smoothField(random: Random): (wavenumber: number) => number {
  const waves = Array.from({ length: 4 }, () => [random.normal() / NEIGHBOURHOOD, random.between(0, 2 * PI)]);
  return (wavenumber) => waves.reduce((sum, [k, phase]) => sum + cos(k * wavenumber + phase), 0) * Math.SQRT1_2;
}

/** Wide peaks stay Gaussian: the wings of a wide Lorentzian would cover the whole axis. */
const otherShape = (shape: 'g' | 'l', width: number) => (shape === 'l' || width > 80 ? 'g' : 'l');

/** Two bands of water vapour lines anywhere in them: their pattern depends on resolution, temperature and pressure. */
function drawVapour(random: Random): Peak[] {
  const peaks: Peak[] = [];
  for (const [from, to, strength] of [
    [1380, 1860, 1],
    [3560, 3950, 0.8],
  ]) {
    for (let line = 0; line < 28; line++) {
      const height = strength * Math.min(1, random.logBetween(0.1, 1.6));
      peaks.push(['l', random.between(from, to), random.between(2.5, 5), height]);
    }
  }
  return peaks;
}
