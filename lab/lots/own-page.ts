/** The page's words about a model of a trader's own parcels. */
import type { MeasuredCell } from '#science/lots/measured';
import { SESSION_TYPES, type SessionType } from '#science/lots/model';
import { percent, withInterval } from '../report/text.js';
import type { Compared } from './own.js';
import type { OwnParcel } from './own-parcels.js';

/** The training's data: parcels and stones of each session type. */
export const describeHistory = (own: readonly OwnParcel[]) => ({
  parcels: SESSION_TYPES.map((type) => own.filter((parcel) => parcel.type === type)).flatMap((some) =>
    some.length === 0
      ? []
      : [
          {
            session_type: some[0].type,
            parcels: some.length,
            stones: some.reduce((sum, { enrol }) => sum + enrol.length, 0),
          },
        ],
  ),
});

export function ownLines(types: readonly SessionType[], compared: readonly Compared[]): string[] {
  const simulated = SESSION_TYPES.filter((type) => !types.includes(type));
  const shown = ({ genuine_confirmed, unrelated_caught }: MeasuredCell) =>
    `${withInterval(genuine_confirmed)} and ${unrelated_caught ? withInterval(unrelated_caught) : 'none'}`;
  const [{ own }] = compared;
  return [
    `Genuine confirmed and foreign caught on your parcels, ${percent(own.substitution, 0)} of a lot exchanged for other stones of its parcel, 95% over parcels:`,
    ...compared.flatMap((one) => [
      `  ${one.own.session_type}, ${one.own.lot_size} stones, ${one.own.lots} lots`,
      `    shipped model  ${shown(one.shipped)}`,
      `    your model     ${shown(one.own)}`,
    ]),
    'No stone was scored by an encoder that saw its parcel; the bars were set on these parcels: others may do a little worse.',
    ...(simulated.length > 0
      ? [`Bars of ${simulated.join(' and ')} are those of simulated parcels: you have none of your own.`]
      : []),
    ...types.flatMap((type) => {
      const sizes = compared.filter((one) => one.own.session_type === type).map((one) => one.own.lot_size);
      return Math.max(...sizes) < 60
        ? [`Bars of ${type} were set at ${sizes.join(', ')} stones and are extended to larger lots: untried there.`]
        : [];
    }),
  ];
}
