import { exp, expOfMinus, LN2, power } from './exact-math.js';

/** [shape, position in cm^-1, full width at half maximum in cm^-1, height]; gauss or lorentz. */
type Peak = readonly ['g' | 'l', number, number, number];

/** A band system: peaks inside limits where they matter, and an optional edge at which it ends (rises where negative). */
interface Component {
  peaks: readonly Peak[];
  edge?: readonly [position: number, width: number];
  from?: number;
  to?: number;
}

/**
 * Absorption of natural diamond. Intrinsic heights are cm^-1; nitrogen systems are 1 at the wavenumber that
 * concentrations are counted by (A 1282, B 1175, C 1130, X 1332, D its plateau); the others are 1 at their first peak.
 * Shapes are own fits to published component curves (rms 0.006 to 0.04 of the peak), positions from the literature.
 */
const COMPONENTS = {
  twoPhonon: {
    peaks: [
      ['g', 1941.6, 672.3, 1.105],
      ['g', 1773, 198.8, 1.045],
      ['g', 1848.6, 84.2, 1.206],
      ['g', 1969.6, 30, 1.777],
      ['g', 2028.2, 36.6, 1.994],
      ['g', 2005.5, 208.3, 10.7],
      ['g', 2156.6, 30, 2.653],
      ['g', 2185.8, 108.9, 9.064],
      ['g', 2269.6, 87.2, 5.009],
      ['g', 2404.1, 107.6, 2.845],
      ['g', 2510.7, 153.9, 4.168],
      ['g', 2599.2, 100.6, 1.73],
      ['g', 2640.5, 40.4, 0.3304],
    ],
    edge: [2655, 12],
  },
  threePhonon: {
    peaks: [
      ['g', 2646.6, 472.1, 0.5781],
      ['g', 3112.9, 469.8, 1.354],
      ['g', 3236.3, 193, 0.4167],
      ['g', 3457.2, 236.4, 0.8109],
      ['g', 3663.8, 229.2, 1.526],
    ],
    edge: [2658, -9],
  },
  nitrogenA: {
    peaks: [
      ['l', 1283.1, 50.9, 0.9965],
      ['g', 1222.6, 36.3, 0.1811],
      ['l', 958.3, 311.1, 0.02254],
      ['g', 1143.5, 95.5, 0.1514],
      ['g', 482.4, 66.1, 0.0976],
      ['g', 1190.6, 56.2, 0.2756],
      ['g', 604.1, 275.6, 0.02897],
      ['l', 1096, 12, 0.03],
    ],
    edge: [1332, 4],
    to: 1360,
  },
  nitrogenB: {
    peaks: [
      ['l', 1166.4, 55.6, 0.665],
      ['l', 1011, 34.7, 0.1229],
      ['l', 1094, 20.7, 0.1641],
      ['g', 1112.5, 47.9, 0.1878],
      ['g', 1289.3, 235.4, 0.1847],
      ['g', 1279.3, 88.9, 0.1329],
      ['l', 1331.5, 7, 0.42],
      ['g', 1312, 48, 0.07],
      ['g', 760.3, 315.6, 0.1014],
      ['g', 1001.2, 167.5, 0.1417],
      ['g', 400, 700, 0.03],
      ['g', 1187.9, 63.8, 0.2729],
    ],
    edge: [1334.5, 1.5],
    to: 1360,
  },
  nitrogenC: {
    peaks: [
      ['l', 1129.5, 40.9, 0.6206],
      ['g', 1091.1, 13.1, 0.1141],
      ['g', 1290, 75, 0.2757],
      ['g', 1166.5, 141.6, 0.3727],
      ['g', 861.1, 229.8, 0.2439],
      ['g', 1036, 71.2, 0.1126],
      ['l', 1344.2, 6, 0.3],
      ['g', 642.1, 319.9, 0.0783],
      ['g', 1197, 140.4, 0.1183],
    ],
    to: 1400,
  },
  nitrogenX: {
    peaks: [
      ['l', 1332, 9, 0.8],
      ['g', 1046, 34, 0.17],
      ['g', 1150, 400, 0.21],
      ['g', 1300, 70, 0.1],
    ],
    edge: [1338, 2],
    to: 1360,
  },
  nitrogenD: {
    peaks: [
      ['g', 1206.1, 47.8, 0.5727],
      ['g', 1250.3, 71.3, 0.8282],
      ['g', 1326, 84, 1.02],
      ['l', 1330, 16, 0.35],
      ['g', 1178.7, 19.3, 0.09223],
    ],
    edge: [1335, 1.8],
    from: 1120,
    to: 1360,
  },
  hydrogen: {
    peaks: [
      ['l', 3107, 5, 1],
      ['l', 1405, 4.5, 0.45],
      ['l', 2786, 7, 0.05],
      ['l', 3085, 6, 0.04],
      ['l', 4169, 9, 0.07],
      ['l', 4496, 10, 0.12],
    ],
  },
  centre3236: {
    peaks: [
      ['l', 3236, 7, 1],
      ['l', 3189, 8, 0.35],
      ['l', 3310, 9, 0.3],
      ['l', 3154, 8, 0.2],
    ],
  },
  centre1430: {
    peaks: [
      ['g', 1430, 16, 1],
      ['l', 1415, 7, 0.3],
    ],
  },
  centre1450: {
    peaks: [
      ['l', 1450, 6, 1],
      ['l', 4941, 12, 0.2],
    ],
  },
  centreAmber: {
    peaks: [
      ['g', 1545, 22, 1],
      ['g', 1521, 14, 0.5],
      ['g', 1573, 16, 0.6],
      ['g', 4065, 30, 0.25],
      ['g', 4165, 40, 0.2],
    ],
  },
  centre1480: {
    peaks: [
      ['l', 1480, 9, 1],
      ['l', 1498, 7, 0.5],
    ],
  },
  centreY: {
    peaks: [
      ['g', 1145, 42, 1],
      ['g', 1240, 60, 0.35],
      ['g', 1075, 50, 0.4],
    ],
  },
  centre3123: {
    peaks: [
      ['l', 3123, 6, 1],
      ['l', 3144, 7, 0.5],
      ['l', 2972, 8, 0.3],
    ],
  },
  centre1594: {
    peaks: [
      ['l', 1594, 8, 1],
      ['l', 1620, 10, 0.3],
    ],
  },
  carbonDioxide: {
    peaks: [
      ['g', 2380, 20, 1],
      ['g', 2364, 26, 0.4],
      ['g', 652, 11, 0.35],
    ],
  },
  carbonate: {
    peaks: [
      ['g', 1440, 75, 1],
      ['g', 876, 14, 0.5],
      ['g', 1100, 90, 0.15],
    ],
  },
  fluidWater: {
    peaks: [
      ['g', 3420, 330, 1],
      ['g', 3260, 220, 0.4],
      ['g', 1645, 85, 0.3],
    ],
  },
  silicate: {
    peaks: [
      ['g', 1060, 110, 1],
      ['g', 985, 60, 0.5],
      ['g', 800, 40, 0.25],
      ['g', 3630, 50, 0.2],
    ],
  },
  boron: {
    peaks: [
      ['l', 2803, 22, 1],
      ['l', 2457, 22, 0.35],
      ['l', 2928, 18, 0.15],
      ['g', 4093, 50, 0.3],
      ['g', 1290, 50, 0.12],
      ['g', 3500, 1400, 0.3],
    ],
  },
} satisfies Record<string, Component>;

export type ComponentName = keyof typeof COMPONENTS | 'brown';
export const MINOR_CENTRES = [
  'centre3236',
  'centre1430',
  'centre1450',
  'centreAmber',
  'centre1480',
  'centreY',
  'centre3123',
  'centre1594',
] as const satisfies readonly ComponentName[];

/** Films and residual gases: absorbance 1 at the strongest point. */
const NUISANCES = {
  waterVapour: { peaks: vapourLines() },
  gasCarbonDioxide: {
    peaks: [
      ['g', 2361, 16, 1],
      ['g', 2337, 22, 0.8],
      ['l', 667.4, 4, 0.7],
    ],
  },
  hydrocarbon: {
    peaks: [
      ['l', 2922, 22, 1],
      ['l', 2852, 16, 0.6],
      ['l', 2957, 16, 0.5],
      ['l', 1459, 16, 0.2],
      ['l', 1377, 9, 0.1],
    ],
  },
  waterFilm: {
    peaks: [
      ['g', 3400, 360, 1],
      ['g', 3250, 200, 0.5],
      ['g', 1640, 90, 0.35],
      ['g', 650, 300, 0.3],
    ],
  },
} satisfies Record<string, Component>;
export type NuisanceName = keyof typeof NUISANCES;

/** A regular stand-in for the rotational structure of water vapour around 1595 and 3756 cm^-1. */
function vapourLines(): Peak[] {
  const peaks: Peak[] = [];
  for (const [centre, strength] of [
    [1595, 1],
    [3756, 0.8],
  ] as const) {
    for (let line = -14; line <= 14; line++) {
      if (line === 0) continue;
      const envelope = (Math.abs(line) / 6) * expOfMinus((line * line) / 72 - 0.5);
      const spread = line % 3 === 0 ? 0.55 : line % 2 === 0 ? 1 : 0.75;
      peaks.push(['l', centre + line * 17.3 + (line % 5) * 3.1, 3.2, strength * envelope * spread]);
    }
  }
  return peaks;
}

/** A component on a grid: `values[i]` belongs to grid point `from + i`; zero elsewhere. */
export interface Band {
  from: number;
  values: Float64Array;
}

/** How far a peak reaches, in widths: where it is under 1e-4 (gauss) or 1.6e-4 (lorentz, with its foot subtracted). */
const REACH = { g: 1.9, l: 40 };

export function shapeAt(shape: 'g' | 'l', z: number): number {
  return shape === 'g' ? expOfMinus(4 * LN2 * z * z) : 1 / (1 + 4 * z * z);
}

function tabulate(component: Component, wavenumbers: Float64Array): Band {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const [shape, position, width] of component.peaks) {
    low = Math.min(low, position - REACH[shape] * width);
    high = Math.max(high, position + REACH[shape] * width);
  }
  low = Math.max(low, component.from ?? low);
  high = Math.min(high, component.to ?? high);
  let from = 0;
  while (from < wavenumbers.length && wavenumbers[from] < low) from++;
  let to = from;
  while (to < wavenumbers.length && wavenumbers[to] <= high) to++;
  const values = new Float64Array(to - from);
  for (const [shape, position, width, height] of component.peaks) {
    const foot = shape === 'l' ? shapeAt('l', REACH.l) : 0;
    for (let i = 0; i < values.length; i++) {
      const z = (wavenumbers[from + i] - position) / width;
      if (z > -REACH[shape] && z < REACH[shape]) values[i] += height * (shapeAt(shape, z) - foot);
    }
  }
  if (component.edge) {
    const [position, width] = component.edge;
    for (let i = 0; i < values.length; i++) {
      values[i] /= 1 + exp((wavenumbers[from + i] - position) / width);
    }
  }
  return { from, values };
}

export interface AbsorptionTables {
  components: Record<ComponentName, Band>;
  nuisances: Record<NuisanceName, Band>;
}

/** Every band on a grid of wavenumbers (ascending, cm^-1). */
export function absorptionTables(wavenumbers: Float64Array): AbsorptionTables {
  const all = <Name extends string>(record: Record<Name, Component>) =>
    Object.fromEntries(
      Object.entries<Component>(record).map(([name, component]) => [name, tabulate(component, wavenumbers)]),
    ) as Record<Name, Band>;
  const brown = wavenumbers.map((w) => power(Math.max(w, 1) / 6000, 2.2));
  return { components: { ...all(COMPONENTS), brown: { from: 0, values: brown } }, nuisances: all(NUISANCES) };
}

/**
 * Adds the platelet peak: its width is about 11 cm^-1 with the slower fall on the low side; `area` is the integral of
 * alpha in cm^-2.
 */
export function addPlatelet(alpha: Float64Array, first: number, step: number, position: number, area: number): void {
  const low = 6.5;
  const high = 4.5;
  const height = area / ((low + high) * (PLATELET_AREA / 2));
  const from = Math.max(0, Math.ceil((position - 9 * low - first) / step));
  const to = Math.min(alpha.length - 1, Math.floor((position + 9 * high - first) / step));
  for (let i = from; i <= to; i++) {
    const offset = first + i * step - position;
    const z = offset / (offset < 0 ? low : high);
    const q = 1 / (1 + z * z * PLATELET_HALF);
    alpha[i] += height * q * q;
  }
}
/** With q = 1/(1 + .414 z^2) squared, z = 1 is half of the maximum, and the integral over z is pi/2/sqrt(.414). */
const PLATELET_HALF = 0.41421356237309515;
const PLATELET_AREA = 2.440711;
