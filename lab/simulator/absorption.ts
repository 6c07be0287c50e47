import { type Component, type ComponentName, type NuisanceName, shapeAt } from './bands.js';
import { exp, power } from './exact-math.js';
import type { PlateletShape, Shapes } from './shapes.js';

/** A component on a grid: `values[i]` belongs to grid point `from + i`; zero elsewhere. */
export interface Band {
  from: number;
  values: Float64Array;
}

/** Reach of a peak, in widths: beyond it the peak is under 1e-4 (gauss) or 1.6e-4 (lorentz, with its foot subtracted). */
const REACH = { g: 1.9, l: 40 };

function tabulate({ peaks, edge, from: min, to: max }: Component, wavenumbers: Float64Array): Band {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const [shape, position, width] of peaks) {
    low = Math.min(low, position - REACH[shape] * width);
    high = Math.max(high, position + REACH[shape] * width);
  }
  low = Math.max(low, min ?? low);
  high = Math.min(high, max ?? high);
  const first = wavenumbers[0];
  const step = wavenumbers[1] - first;
  const indexFrom = (wavenumber: number) =>
    Math.min(wavenumbers.length, Math.max(0, Math.ceil((wavenumber - first) / step)));
  const from = indexFrom(low);
  const values = new Float64Array(Math.max(0, indexFrom(high) - from));
  for (const [shape, position, width, height] of peaks) {
    const foot = shape === 'l' ? shapeAt('l', REACH.l) : 0;
    const end = Math.min(values.length, indexFrom(position + REACH[shape] * width) - from);
    for (let i = Math.max(0, indexFrom(position - REACH[shape] * width) - from); i < end; i++) {
      values[i] += height * (shapeAt(shape, (wavenumbers[from + i] - position) / width) - foot);
    }
  }
  for (let i = 0; i < values.length; i++) {
    // A drawn shape may have dents; nothing emits light.
    if (values[i] < 0) values[i] = 0;
    if (edge) values[i] /= 1 + exp((wavenumbers[from + i] - edge[0]) / edge[1]);
  }
  return { from, values };
}

export interface AbsorptionTables {
  components: Record<ComponentName, Band>;
  nuisances: Record<NuisanceName, Band>;
}

/** Every band on an evenly spaced grid of wavenumbers (ascending, cm^-1). */
export function absorptionTables(wavenumbers: Float64Array, { components, nuisances }: Shapes): AbsorptionTables {
  const all = <Name extends string>(record: Record<Name, Component>) =>
    Object.fromEntries(
      Object.entries<Component>(record).map(([name, component]) => [name, tabulate(component, wavenumbers)]),
    ) as Record<Name, Band>;
  const brown = wavenumbers.map((w) => power(Math.max(w, 1) / 6000, 2.2));
  return { components: { ...all(components), brown: { from: 0, values: brown } }, nuisances: all(nuisances) };
}

/**
 * Adds the platelet peak: its width is about 11 cm^-1 with the slower fall on the low side; `area` is the integral of
 * alpha in cm^-2.
 */
export function addPlatelet(
  alpha: Float64Array,
  grid: { first: number; step: number },
  position: number,
  area: number,
  { low, high, area: factor }: PlateletShape,
): void {
  const { first, step } = grid;
  const height = (area * factor) / ((low + high) * (PLATELET_AREA / 2));
  const from = Math.max(0, Math.ceil((position - 9 * low - first) / step));
  const to = Math.min(alpha.length - 1, Math.floor((position + 9 * high - first) / step));
  for (let i = from; i <= to; i++) {
    const offset = first + i * step - position;
    const z = offset / (offset < 0 ? low : high);
    const q = 1 / (1 + z * z * PLATELET_HALF);
    alpha[i] += height * q * q;
  }
}
/** With q = 1/(1 + 0.414 z^2) squared, z = 1 is half of the maximum, and the integral over z is pi/2/sqrt(0.414). */
const PLATELET_HALF = 0.41421356237309515;
const PLATELET_AREA = 2.440711;
