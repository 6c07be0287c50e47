import { exp, log } from '../simulator/exact-math.js';
import type { SimulatedStone } from '../simulator/index.js';
import { Random } from '../simulator/random.js';
import { type BandName, PLATELET_SIZES } from './bands.js';

/** Defects that only some stones have; each with the share of stones and its median absorption, cm^-1. */
const OCCASIONAL: readonly (readonly [BandName, number, number])[] = [
  ['nitrogenPlus', 0.35, 0.04],
  ['hydrogen3237', 0.7, 0.05],
  ['hydrogen3310', 0.35, 0.02],
  ['hydrogen3154', 0.3, 0.015],
  ['stretch3055', 0.4, 0.02],
  ['interstitial', 0.25, 0.015],
  ['line1388', 0.4, 0.03],
  ['line1434', 0.55, 0.04],
  ['amber', 0.35, 0.03],
  ['shallow', 0.35, 0.025],
  ['carbonate', 0.07, 0.12],
  ['silicate', 0.07, 0.08],
  ['fluid', 0.1, 0.1],
  ['carbonDioxide', 0.06, 0.08],
];

/** Properties that stones of a deposit share. */
export interface Statistics {
  deposits: number;
  /** Distance between deposits, relative to the spread of stones within one. */
  apart: number;
  /** Share of stones of eclogitic paragenesis: richer in nitrogen. */
  eclogitic: number;
  /** Factor on the differences between the growth shells of a stone. */
  zoning: number;
  /** Factor on the heights of bands that only some stones have. */
  occasional: number;
}

/** A growth shell out to a radius (the stone's is 1), and its absorption per unit of length. */
interface Shell {
  radius: number;
  bands: Map<BandName, number>;
  plateletArea: number;
  plateletSize: number;
}

export interface Stone {
  deposit: number;
  parcel: number;
  type: SimulatedStone['type'];
  grosslyZoned: boolean;
  /** Place where growth began, the centre being 0. */
  seed: [number, number, number];
  shells: Shell[];
  /** Distance through the rough, cm. */
  thickness: number;
  /** Centre and radius of the polished part. */
  polished: { centre: [number, number, number]; radius: number };
}

/** A stone of a deposit; `mate` gives another stone of the same parcel. */
export function drawStone(
  statistics: Statistics,
  population: string,
  random: Random,
  mate?: Pick<Stone, 'deposit' | 'parcel'>,
): Stone {
  const { deposits, apart } = statistics;
  const deposit = mate?.deposit ?? Math.floor(deposits * random.uniform() * random.uniform());
  const parcel = mate?.parcel ?? random.below(6);
  const local = new DepositTraits(population, deposit, parcel, apart);
  const eclogitic = random.chance(statistics.eclogitic);
  const kind = random.uniform();
  const type: SimulatedStone['type'] = kind < 0.93 ? 'Ia' : kind < 0.98 ? 'IIa' : kind < 0.995 ? 'Ib' : 'IIb';
  const nitrogen =
    type === 'Ia'
      ? log(eclogitic ? 520 : 210) + local.nitrogen + (eclogitic ? 0.45 : 0.75) * random.normal()
      : log(type === 'Ib' ? 60 : 3) + 0.7 * random.normal();
  // Time and temperature in the mantle: k t of the second-order reaction A -> B, per ppm.
  const kinetics = -log(450) + local.kinetics + 1.1 * random.normal();
  const hydrogen = log(0.5) + local.hydrogen + 1.1 * random.normal() + (eclogitic ? 0.5 : 0);
  const degraded = random.chance(0.25) ? random.between(0.1, 0.8) : random.between(0.85, 1.05);
  const size = log(18) + 0.4 * random.normal() + local.size;
  const occasional = OCCASIONAL.filter(([, share]) => random.chance(share)).map(
    ([name, , median]) => [name, log(median * statistics.occasional) + local.of(name) + random.normal()] as const,
  );
  const grosslyZoned = random.chance(0.025);
  const zoning = statistics.zoning * (grosslyZoned ? 3.5 : 1);
  const count = 2 + random.below(4);
  const radii = Array.from({ length: count - 1 }, () => random.between(0.25, 0.95)).sort((a, b) => a - b);
  const shells = [...radii, 1].map((radius, i): Shell => {
    const ppm = exp(nitrogen + zoning * (0.45 * random.normal() - 0.12 * (i - count / 2)));
    const reacted = ppm * exp(kinetics + zoning * (0.25 * random.normal() - 0.15 * i));
    const inB = type === 'Ib' ? 0 : reacted / (1 + reacted);
    const inC = type === 'Ib' ? 0.7 : 0;
    const bands = new Map<BandName, number>([
      ['lattice', 1],
      // ppm a cm^-1 at 1282 (A and B, Woods et al. 1990) and at 1130 (C, Chrenko et al. 1971).
      ['nitrogenA', (ppm * (1 - inB - inC)) / 17.5],
      ['nitrogenB', (ppm * inB) / 103.8],
      ['nitrogenC', (ppm * inC) / 22],
      ['hydrogen', exp(hydrogen + zoning * 0.6 * random.normal())],
    ]);
    for (const [name, height] of occasional) bands.set(name, exp(height + zoning * 0.7 * random.normal()));
    if (type === 'IIb') bands.set('boron', exp(-0.5 + 0.5 * random.normal()));
    const intact = degraded * exp(zoning * 0.12 * random.normal());
    const plateletArea = ((61 * ppm * inB) / 103.8) * Math.min(intact, 1.1);
    bands.set('plateletTail', plateletArea / 110);
    return { radius, bands, plateletArea, plateletSize: size + zoning * 0.12 * random.normal() };
  });
  const inside = (max: number): [number, number, number] => {
    const [x, y, z] = direction(random);
    const r = max * Math.sqrt(random.uniform());
    return [r * x, r * y, r * z];
  };
  const radius = random.between(0.42, 0.68);
  return {
    deposit,
    parcel,
    type,
    grosslyZoned,
    seed: inside(0.35),
    shells,
    thickness: 0.42 * exp(0.35 * random.normal()),
    polished: { centre: inside(Math.min(0.95 - radius, 0.35)), radius },
  };
}

/** Traits that a deposit and its parcel share, the same whichever stone asks. */
class DepositTraits {
  readonly nitrogen: number;
  readonly kinetics: number;
  readonly hydrogen: number;
  readonly size: number;
  readonly of: (name: string) => number;

  constructor(population: string, deposit: number, parcel: number, apart: number) {
    const trait = (name: string, between: number, within: number) =>
      apart *
      (between * new Random(population, 'deposit', deposit, name).normal() +
        within * new Random(population, 'parcel', deposit, parcel, name).normal());
    this.nitrogen = trait('nitrogen', 0.35, 0.2);
    this.kinetics = trait('kinetics', 0.6, 0.3);
    this.hydrogen = trait('hydrogen', 0.5, 0.3);
    this.size = trait('size', 0.2, 0.1);
    this.of = (name) => trait(name, 0.5, 0.3);
  }
}

export function direction(random: Random): [number, number, number] {
  const [x, y, z] = [random.normal(), random.normal(), random.normal()];
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}

/** A mixture of shells along a ray: its absorption per unit of length. */
export interface Mixture {
  bands: Map<BandName, number>;
  /** Area of the platelet line by the table of its size. */
  platelets: Float64Array;
}

/** Mixes the shells that straight rays through a ball meet: points within it, by the shell they lie in. */
export function mixtureAlong(
  stone: Stone,
  ball: { centre: readonly number[]; radius: number },
  rays: number,
  random: Random,
): Mixture {
  const shares = new Float64Array(stone.shells.length);
  for (let ray = 0; ray < rays; ray++) {
    const d = direction(random);
    const across = direction(random);
    const off = 0.75 * ball.radius * Math.sqrt(random.uniform());
    const along = across[0] * d[0] + across[1] * d[1] + across[2] * d[2];
    // A point of the ray: off the centre, at a right angle to its direction.
    const p = across.map((value, i) => ball.centre[i] + off * (value - along * d[i]));
    addShares(shares, stone, p, d, ball);
  }
  const total = shares.reduce((sum, share) => sum + share, 0);
  const mixture: Mixture = { bands: new Map(), platelets: new Float64Array(PLATELET_SIZES.length) };
  for (const [i, { bands, plateletArea, plateletSize }] of stone.shells.entries()) {
    const share = shares[i] / total;
    if (share === 0) continue;
    for (const [name, height] of bands) mixture.bands.set(name, (mixture.bands.get(name) ?? 0) + share * height);
    const at = Math.min(Math.max((plateletSize - log(PLATELET_SIZES[0])) / log(Math.SQRT2), 0), 7.999);
    const below = Math.floor(at);
    mixture.platelets[below] += share * plateletArea * (1 - at + below);
    mixture.platelets[below + 1] += share * plateletArea * (at - below);
  }
  return mixture;
}

/** Adds the length of the ray p + t d inside the ball that lies in each shell. */
function addShares(
  shares: Float64Array,
  { seed, shells }: Stone,
  p: readonly number[],
  d: readonly number[],
  ball: { centre: readonly number[]; radius: number },
): void {
  const [enter, leave] = crossing(p, d, ball.centre, ball.radius);
  let before = 0;
  for (const [i, { radius }] of shells.entries()) {
    const last = i === shells.length - 1;
    const [from, to] = last ? [enter, leave] : crossing(p, d, seed, radius);
    const within = Math.max(Math.min(to, leave) - Math.max(from, enter), before);
    shares[i] += within - before;
    before = within;
  }
}

/** Distances at which the line p + t d enters and leaves a sphere; the same twice where it misses it. */
function crossing(
  p: readonly number[],
  d: readonly number[],
  centre: readonly number[],
  radius: number,
): [number, number] {
  const to = p.map((value, i) => centre[i] - value);
  const nearest = to[0] * d[0] + to[1] * d[1] + to[2] * d[2];
  const away = to[0] * to[0] + to[1] * to[1] + to[2] * to[2] - nearest * nearest;
  const half = Math.sqrt(Math.max(radius * radius - away, 0));
  return [nearest - half, nearest + half];
}
