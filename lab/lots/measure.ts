/** Accuracy of a lot model on lots of a family: counts parcel by parcel, shares with intervals over parcels. */

import { decideLot } from '#science/lots/check';
import type { MeasuredCell, MeasuredRehearsal, MeasuredShare } from '#science/lots/measured';
import type { LotModel, SessionType } from '#science/lots/model';
import { returnedCentre } from '#science/lots/offset';
import { rehearse } from '#science/lots/rehearsal';
import { barOf, cohortPlaced, type Placed, scoreTable } from '#science/lots/score';
import { Random } from '../simulator/index.js';
import { enrolOf, type PlacedParcel } from './bars.js';
import { drawLot, strangersTo } from './lot.js';

export const SHARES = [0, 0.1, 0.2, 0.4] as const;

/** Out of so many, one entry a parcel. */
export interface Count {
  hits: number;
  of: number;
}

const RESAMPLES = 1000;

/** The share of all, and its 95% interval by drawing parcels again with replacement. */
export function shareOf(counts: readonly Count[], name: string): MeasuredShare | null {
  const total = (of: readonly Count[]) => {
    let [hits, all] = [0, 0];
    for (const count of of) {
      hits += count.hits;
      all += count.of;
    }
    return all === 0 ? 0 : hits / all;
  };
  if (counts.every(({ of }) => of === 0)) return null;
  const random = new Random('bootstrap', name);
  const shares = Float64Array.from({ length: RESAMPLES }, () =>
    total(counts.map(() => counts[random.below(counts.length)])),
  ).sort();
  const at = (share: number) => shares[Math.round(share * (RESAMPLES - 1))];
  return { share: total(counts), interval: [at(0.025), at(0.975)] };
}

interface Tally {
  confirmed: number;
  misnamed: number;
  genuine: number;
  caught: number;
  accepted: number;
  substitutes: number;
}

export interface CellPlan {
  family: string;
  size: number;
  substitution: number;
  /** Lots that are drawn out of one parcel. */
  lots: number;
}

/** Lots of all parcels (of one session type), exchanged for strangers and, in other lots, for twins. */
export function measureCell(model: LotModel, parcels: readonly PlacedParcel[], plan: CellPlan): MeasuredCell {
  const session = parcels[0].type;
  const unrelated = parcels.map((parcel) => tally(model, parcel, plan, false));
  const twins = plan.substitution > 0 ? parcels.map((parcel) => tally(model, parcel, plan, true)) : [];
  const name = `${plan.family} ${session} ${plan.size} ${plan.substitution}`;
  const share = (of: Tally[], hits: keyof Tally, all: keyof Tally) =>
    shareOf(
      of.map((one) => ({ hits: one[hits], of: one[all] })),
      `${name} ${hits}`,
    );
  return {
    family: plan.family,
    session_type: session,
    lot_size: plan.size,
    substitution: plan.substitution,
    lots: parcels.length * plan.lots,
    genuine_confirmed: share(unrelated, 'confirmed', 'genuine') as MeasuredShare,
    genuine_misnamed: share(unrelated, 'misnamed', 'confirmed') as MeasuredShare,
    unrelated_caught: share(unrelated, 'caught', 'substitutes'),
    twins_caught: share(twins, 'caught', 'substitutes'),
    one_stone_false_accept: share(unrelated, 'accepted', 'substitutes'),
  };
}

function tally(
  model: LotModel,
  parcel: PlacedParcel,
  { family, size, substitution, lots }: CellPlan,
  twins: boolean,
): Tally {
  const out: Tally = { confirmed: 0, misnamed: 0, genuine: 0, caught: 0, accepted: 0, substitutes: 0 };
  const { bar } = barOf(model.bars[parcel.type], size);
  for (let n = 0; n < lots; n++) {
    const random = new Random('measured lot', family, parcel.parcel, parcel.type, size, substitution, Number(twins), n);
    const { members, returned } = drawLot({ size, substitution, twins }, random, parcel.stock);
    const enrolment = enrolOf(parcel, members);
    const came = returned.map(({ stone }) => stone);
    const back = parcel.back.place(came, returnedCentre(parcel.by, enrolment, parcel.back, came));
    const table = scoreTable(parcel.by, enrolment.placed, enrolment.crowded, back);
    const { stones } = decideLot(model, table, size, parcel.type);
    for (const [place, { member }] of returned.entries()) {
      const decided = stones[place].member;
      if (member !== null) {
        out.genuine++;
        if (decided !== null) out.confirmed++;
        if (decided !== null && decided !== member) out.misnamed++;
      } else {
        out.substitutes++;
        if (decided === null) out.caught++;
        if (Math.max(...table.subarray(place * size, (place + 1) * size)) > bar) out.accepted++;
      }
    }
  }
  return out;
}

/** Cohort stones that a rehearsal offers, and draws of one. */
const OFFERED = 300;
const DRAWS = 50;

/** Compares rehearsals with the cohort with those by other stones of the lot's own parcel. */
export function measureRehearsal(
  model: LotModel,
  parcels: readonly PlacedParcel[],
  { family, size, substitution }: Omit<CellPlan, 'lots'>,
): MeasuredRehearsal {
  const session: SessionType = parcels[0].type;
  const strangers = cohortPlaced(model, OFFERED);
  const cohort: Count[] = [];
  const own: Count[] = [];
  for (const parcel of parcels) {
    const random = new Random('rehearsed lot', family, parcel.parcel, session, size);
    const { members } = drawLot({ size, substitution: 0, twins: false }, random, parcel.stock);
    const others = strangersTo(members, parcel.stock);
    const enrolment = enrolOf(parcel, members);
    const rehearsed = (substitutes: Placed): Count => {
      const draw = { session, substitution, draws: DRAWS, uniform: () => random.uniform() };
      const { caught, offered } = rehearse(model, enrolment, substitutes, draw);
      return { hits: caught, of: offered };
    };
    cohort.push(rehearsed(strangers));
    own.push(rehearsed(parcel.back.place(others, enrolment.centre)));
  }
  const name = `rehearsal ${family} ${session} ${size}`;
  const share = (counts: Count[]) => shareOf(counts, name) as MeasuredShare;
  return {
    session_type: session,
    lot_size: size,
    lots: parcels.length,
    cohort: share(cohort).share,
    parcel: share(own).share,
    flatters_by: share(cohort.map(({ hits, of }, i) => ({ hits: hits - own[i].hits, of }))),
  };
}
