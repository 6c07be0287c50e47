import { cos, exp, PI, sin } from './exact-math.js';
import {
  LN_HYDROGEN,
  LN_NITROGEN,
  LOGIT_B,
  MEAN,
  MINES,
  PLATELET_LOSS,
  PLATELET_POSITION,
  POCKETS,
  type PopulationSettings,
  TRAITS,
  WITHIN_POCKET,
  type World,
} from './populations.js';
import type { Random } from './random.js';

export type DiamondType = 'Ia' | 'IIa' | 'Ib' | 'IIb';

/** Waves of which the field inside a stone is made. */
const WAVES = 16;
/** Correlation length of the field, in stone radii. */
export const ZONING_LENGTH = 0.9;
/** Zoning of a grossly zoned stone, against others. */
export const GROSS_ZONING = 4;

/** Peak absorption in cm^-1, and how far its bands stand from their usual place, cm^-1: by pressure and composition. */
export interface Inclusion {
  amount: number;
  shift: number;
}

/** A stone's own properties, before any measurement. */
export interface Stone {
  mine: number;
  pocket: number;
  type: DiamondType;
  /** Mean of every trait. */
  traits: Float64Array;
  /** The zoning field: wave vectors (WAVES x 3, per radius) and each trait's cosine and sine amplitudes. */
  waves: Float64Array;
  amplitudes: Float64Array;
  grosslyZoned: boolean;
  /** Rough path in mm. */
  roughPath: number;
  polishPath: number;
  /** Middle of the polish, in radii of the rough. */
  polishCentre: Float64Array;
  inclusions: Record<keyof PopulationSettings['inclusions'], Inclusion>;
  brown: number;
  boron: number;
  /** Nitrogen of the C and X kinds, ppm. */
  nitrogenC: number;
  nitrogenX: number;
}

/**
 * @param mate a stone whose mine and pocket this one shares
 * @param zoning factor on the population's zoning
 */
export function drawStone(world: World, random: Random, zoning: number, mate?: Stone): Stone {
  const { settings } = world;
  const share = random.uniform();
  let mine = 0;
  while (mine < MINES - 1 && world.shares[mine] < share) mine++;
  let pocket = random.below(POCKETS);
  if (mate) {
    mine = mate.mine;
    pocket = mate.pocket;
  }
  const traits = new Float64Array(TRAITS);
  const means = (mine * POCKETS + pocket) * TRAITS;
  for (let t = 0; t < TRAITS; t++) traits[t] = world.pocketMeans[means + t] + WITHIN_POCKET[t] * random.normal();

  const kind = random.uniform();
  let type: DiamondType = 'Ia';
  if (kind < settings.typeIIa) type = 'IIa';
  else if (kind < settings.typeIIa + settings.typeIb) type = 'Ib';
  else if (kind < settings.typeIIa + settings.typeIb + settings.typeIIb) type = 'IIb';
  if (mate) type = mate.type;
  if (type === 'IIa') traits[LN_NITROGEN] -= 4.6;
  if (type === 'IIb') traits[LN_NITROGEN] -= 7;
  if (type === 'Ib') {
    traits[LN_NITROGEN] -= 1.2;
    traits[LOGIT_B] -= 4;
  }
  traits[LN_HYDROGEN] += 0.3 * (traits[LN_NITROGEN] - MEAN[LN_NITROGEN]);
  const loss = Math.abs(traits[PLATELET_LOSS]);
  traits[PLATELET_LOSS] = random.chance(0.15) ? -random.between(0.3, 2.5) : -loss;
  const waves = new Float64Array(WAVES * 3);
  for (let i = 0; i < waves.length; i++) waves[i] = random.normal() / ZONING_LENGTH;
  const grosslyZoned = random.chance(0.03);
  const strength = (zoning * (grosslyZoned ? GROSS_ZONING : 1)) / Math.sqrt(WAVES);
  const amplitudes = new Float64Array(TRAITS * WAVES * 2);
  const shared = settings.sharedZoning;
  const common = Float64Array.from({ length: shared > 0 ? 2 * WAVES : 0 }, () => random.normal());
  const own = Math.sqrt(1 - shared * shared);
  for (let i = 0; i < amplitudes.length; i++) {
    const t = Math.floor(i / (2 * WAVES));
    const field = shared > 0 ? shared * world.zoningSigns[t] * common[i % (2 * WAVES)] : 0;
    amplitudes[i] = strength * settings.zoning[t] * (own * random.normal() + field);
  }
  const centre = pointInBall(random, 0.5);
  const ln = (probability: number, mean: number, spread: number) => {
    const present = random.chance(probability);
    const amount = mean * exp(spread * random.normal());
    return present ? amount : 0;
  };
  const inclusion = (kind: keyof Stone['inclusions'], mean: number, shift: number): Inclusion => ({
    amount: ln(settings.inclusions[kind], mean, 0.6),
    shift: shift * random.normal(),
  });
  return {
    mine,
    pocket,
    type,
    traits,
    waves,
    amplitudes,
    grosslyZoned,
    roughPath: random.logBetween(...settings.roughPath),
    polishPath: random.logBetween(...settings.polishPath),
    polishCentre: centre,
    inclusions: {
      carbonDioxide: inclusion('carbonDioxide', 0.8, 10),
      carbonate: inclusion('carbonate', 0.6, 8),
      fluidWater: inclusion('fluidWater', 0.5, 20),
      silicate: inclusion('silicate', 0.5, 15),
    },
    brown: ln(world.brown[mine], 0.5, 0.5),
    boron: type === 'IIb' ? 1.5 * exp(0.5 * random.normal()) : 0,
    nitrogenC: type === 'Ib' ? exp(traits[LN_NITROGEN]) * random.between(0.3, 0.8) : 0,
    nitrogenX: ln(type === 'Ib' ? 0.6 : 0.12, 1.2, 0.7),
  };
}

/**
 * A minor centre's peak in cm^-1 from its score (mean 0, sd 1 over a population): 0.005 in the median, log-normal over
 * two decades, and nearly absent in the lowest 35%.
 */
export function minorCentre(score: number): number {
  return exp(-5.3 + score) / (1 + exp(-8 * (score + 0.385)));
}

function pointInBall(random: Random, radius: number): Float64Array {
  for (;;) {
    const point = Float64Array.of(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
    if (point[0] * point[0] + point[1] * point[1] + point[2] * point[2] < 1) return point.map((v) => v * radius);
  }
}

/** The light's path: straight from middle - half to middle + half, blurred by a ball. In stone radii. */
export interface LightPath {
  middle: Float64Array;
  half: Float64Array;
  blur: number;
}

/** A chord of the rough, through any of its points in any direction. */
export function roughChord(random: Random): LightPath {
  const point = pointInBall(random, 0.95);
  const direction = unitVector(random);
  const along = point[0] * direction[0] + point[1] * direction[1] + point[2] * direction[2];
  const square = point[0] * point[0] + point[1] * point[1] + point[2] * point[2];
  const half = Math.sqrt(1 - square + along * along);
  return { middle: point.map((v, k) => v - along * direction[k]), half: direction.map((v) => v * half), blur: 0.1 };
}

/** A path through the polish: a small ball inside the rough, well mixed by internal reflections. */
export function polishChord(stone: Stone, random: Random): LightPath {
  const aside = pointInBall(random, 0.12);
  const direction = unitVector(random);
  return {
    middle: stone.polishCentre.map((v, k) => v + aside[k]),
    half: direction.map((v) => v * 0.25),
    blur: 0.18,
  };
}

function unitVector(random: Random): Float64Array {
  const height = random.between(-1, 1);
  const angle = random.between(0, 2 * PI);
  const across = Math.sqrt(1 - height * height);
  return Float64Array.of(across * cos(angle), across * sin(angle), height);
}

/** The traits' means along a path. */
export function traitsAlong(stone: Stone, path: LightPath): Float64Array {
  const traits = stone.traits.slice();
  for (let w = 0; w < WAVES; w++) {
    let phase = 0;
    let swing = 0;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const wave = stone.waves[3 * w + k];
      phase += wave * path.middle[k];
      swing += wave * path.half[k];
      square += wave * wave;
    }
    const mean = Math.abs(swing) < 1e-6 ? 1 : sin(swing) / swing;
    const gain = mean * exp(-0.5 * square * path.blur * path.blur);
    const c = gain * cos(phase);
    const s = gain * sin(phase);
    for (let t = 0; t < TRAITS; t++) {
      const a = 2 * (t * WAVES + w);
      traits[t] += stone.amplitudes[a] * c + stone.amplitudes[a + 1] * s;
    }
  }
  return traits;
}

/** Position of the platelet peak, cm^-1, for a loss p <= 0. */
export const plateletPosition = (traits: Float64Array): number =>
  1361.5 + 8 * (1 - exp(traits[PLATELET_LOSS])) + traits[PLATELET_POSITION];
