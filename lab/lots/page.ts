/** The measured part of reports/lots-measured.md. */

import { FALSE_ACCEPT_LABEL, GENUINE_PROMISE } from '#science/lots/bounds';
import type { MeasuredBounds, MeasuredCell, MeasuredShare } from '#science/lots/measured';
import { type LotModel, SESSION_TYPES, type SessionType } from '#science/lots/model';
import { barOf } from '#science/lots/score';
import { percent, picture, table, withInterval } from '../report/text.js';
import { JUDGED, type Judged, QUOTED } from './report.js';

/** Unrelated substitutes to be caught at 20% substitution, at every size. */
export const CAUGHT_GOALS: Record<SessionType, number> = { shaken: 0.95, 'table-up': 0.83, 'culet-focus': 0.76 };

export interface LotGoal {
  goal: string;
  family: Judged;
  /** Sizes at which it is met, and at which it is missed with what was measured. */
  met: number[];
  missed: { size: number; measured: MeasuredShare }[];
}

/** The goals on parcels that nothing was fitted on, by family. */
export function lotGoals({ cells }: Pick<MeasuredBounds, 'cells'>): LotGoal[] {
  const judge = (
    family: Judged,
    type: SessionType,
    goal: string,
    minimum: number,
    of: (cell: MeasuredCell) => MeasuredShare | null,
  ) => {
    const out: LotGoal = { goal: `${type}: ${goal} ${percent(minimum)} at least`, family, met: [], missed: [] };
    for (const cell of cells) {
      const measured = of(cell);
      if (cell.family !== family || cell.session_type !== type || cell.substitution !== QUOTED || !measured) continue;
      if (measured.share >= minimum) out.met.push(cell.lot_size);
      else out.missed.push({ size: cell.lot_size, measured });
    }
    return out;
  };
  return JUDGED.filter((family) => cells.some((cell) => cell.family === family)).flatMap((family) =>
    SESSION_TYPES.flatMap((type) => [
      judge(family, type, 'genuine confirmed', GENUINE_PROMISE, (cell) => cell.genuine_confirmed),
      judge(family, type, 'unrelated caught', CAUGHT_GOALS[type], (cell) => cell.unrelated_caught),
    ]),
  );
}

const FAMILIES: Record<Judged, string> = {
  test: 'The physics and microscope of the calibration parcels, other mines',
  newest: 'The same physics, one or two other mines a parcel, another microscope',
  second:
    'The second family: other bands, zoning, scatter and spectrometers. Nothing was fitted on it. A trial run on six of its parcels was why lots are scored from their middle; how was chosen without them ([record](../docs/decisions/lot-centre.md))',
  third:
    "Stones that grow as the second family's do, with bands, deposits and spectrometers of their own, cut and lying in another way. It was set down before any model was judged by it, and chose nothing",
};

/** @param model its bars say where the promise to members sets them */
export function measuredPart(measured: MeasuredBounds, model: Pick<LotModel, 'bars' | 'digest'>): string {
  const { cells, seed, scans } = measured;
  const of = (family: Judged) => cells.filter((cell) => cell.family === family);
  const families = JUDGED.filter((family) => of(family).length > 0);
  const lots = (family: Judged) => [...new Set(of(family).map((cell) => cell.lots))].join(', ');
  return `Lot model \`${measured.model.slice(0, 16)}\`, seed ${seed}, ${scans} scans of a stone before and ${scans} after; lots per cell: ${families
    .map((family) => `${lots(family)} of \`${family}\``)
    .join(', ')}. Brackets are 95% intervals by bootstrap over parcels, with model and bars fixed: they hold the
sampling of lots and nothing else. Substitutes come from the lot's own parcel. All figures are in
[measured.json](../models/lots-2/measured.json), which \`GET /api/lotscan/bounds\` serves; \`mvs lots report\` measures them.

### Goals

${table(
  ['parcels', 'goal, at 20% substitution', 'met at', 'missed at'],
  lotGoals(measured).map(({ goal, family, met, missed }) => [
    `\`${family}\``,
    goal,
    met.length > 0 ? met.join(', ') : '**none**',
    missed.length > 0 ? missed.map((one) => `**${one.size}: ${withInterval(one.measured)}**`).join('; ') : '',
  ]),
)}

${picture('caught.svg', 'Unrelated substitutes caught by lot size', 'lots')}

${picture('genuine.svg', 'Genuine members confirmed by lot size', 'lots')}

${families.map((family) => familyPart(family, of(family), model)).join('\n\n')}

### One stone alone

The operating point's false accept rate of ${percent(FALSE_ACCEPT_LABEL, 0)} is that of one stranger against a lot whose places are all open. **Where the
promise to members sets the bar (marked * above) the rate exceeds its label, and on parcels unlike those that set the bars it
may exceed it anywhere**, as the column "one stone" says. In a whole
lot each member can account for one stone only, which is why more is caught there.

${picture('false-accept.svg', 'One-stone false accepts by lot size', 'lots')}

### Stones of the same rough

A twin that takes its own sibling's place is the hardest case.

${picture('twins.svg', 'Twins caught by lot size', 'lots')}

### What a rehearsal promises too much

A rehearsal on the cohort offers stones of other lots. At 20% substitution, against the same with other stones of the lot's
own parcel (\`test\`, ${measured.rehearsal[0]?.lots ?? 0} lots a row):

${table(
  ['session', 'stones', 'cohort', 'same parcel', 'flatters by, points'],
  measured.rehearsal.map(({ session_type, lot_size, cohort, parcel, flatters_by: { share, interval } }) => [
    session_type,
    lot_size,
    percent(cohort),
    percent(parcel),
    `${(100 * share).toFixed(1)} (${interval.map((end) => (100 * end).toFixed(1)).join(' to ')})`,
  ]),
)}${answersPart(measured)}`;
}

function answersPart({ answers = [] }: Pick<MeasuredBounds, 'answers'>): string {
  if (answers.length === 0) return '';
  return `

### What an answer says of its own lot

Three session types together, a fifth exchanged. "False accept" is of one stranger with all places open.

${table(
  [
    'parcels',
    'stones',
    'lots',
    'marked at enrolment',
    'false accept: truth',
    'by the lot itself (truth in its interval)',
    'caught: truth',
    'rehearsed',
  ],
  answers.map(({ family, lot_size, lots, marked, false_accept, own, own_within, caught, rehearsed }) => [
    `\`${family}\``,
    lot_size,
    lots,
    `${marked} (${percent(marked / lots)})`,
    percent(false_accept),
    `${percent(own)} (${percent(own_within / lots, 0)})`,
    percent(caught),
    rehearsed === null ? 'none' : percent(rehearsed),
  ]),
)}`;
}

function familyPart(family: Judged, cells: readonly MeasuredCell[], { bars }: Pick<LotModel, 'bars'>): string {
  const rows = cells
    .filter(({ substitution }) => substitution === QUOTED)
    .map((cell) => {
      const at = (substitution: number) =>
        cells.find(
          (other) =>
            other.session_type === cell.session_type &&
            other.lot_size === cell.lot_size &&
            other.substitution === substitution,
        );
      const share = (value: MeasuredShare | null | undefined) => (value ? (100 * value.share).toFixed(1) : '');
      const { floorBinds } = barOf(bars[cell.session_type], cell.lot_size);
      return [
        cell.session_type,
        `${cell.lot_size}${floorBinds ? ' *' : ''}`,
        withInterval(cell.genuine_confirmed),
        [0, 0.1, 0.4].map((one) => share(at(one)?.genuine_confirmed)).join(' / '),
        percent(cell.genuine_misnamed.share),
        cell.unrelated_caught ? withInterval(cell.unrelated_caught) : '',
        [0.1, 0.4].map((one) => share(at(one)?.unrelated_caught)).join(' / '),
        cell.twins_caught ? withInterval(cell.twins_caught, 0) : '',
        cell.one_stone_false_accept ? withInterval(cell.one_stone_false_accept) : '',
      ];
    });
  return `### \`${family}\`

${FAMILIES[family]}. At 20% substitution unless stated.

${table(
  [
    'session',
    'stones',
    'genuine confirmed',
    'at 0 / 10 / 40%',
    'as another member',
    'unrelated caught',
    'at 10 / 40%',
    'twins caught',
    'one stone, label 10%',
  ],
  rows,
)}`;
}

/** The page with its measured part made again. */
export const withMeasured = (page: string, part: string): string =>
  page.replace(/<!-- measured -->[\s\S]*<!-- \/measured -->/, `<!-- measured -->\n\n${part}\n\n<!-- /measured -->`);
