import { INK, SERIES } from '#pictures';
import type { MeasuredBounds, MeasuredCell } from '#science/lots/measured';
import { SESSION_TYPES, type SessionType } from '#science/lots/model';
import { lines } from '../report/charts.js';
import { type Judged, QUOTED } from './report.js';

/** One colour a session type, distinct to the colour-blind too; one dash a family. */
const COLOURS: Record<SessionType, string> = {
  shaken: SERIES[0],
  'table-up': SERIES[1],
  'culet-focus': SERIES[2],
};
/** Families that are drawn: the third one's figures stand in its table. */
const DASHES = { test: {}, newest: { dashed: true }, second: { dotted: true } } as const satisfies Partial<
  Record<Judged, object>
>;
type Drawn = keyof typeof DASHES;
const DRAWN = Object.keys(DASHES) as Drawn[];

const cellsOf = ({ cells }: MeasuredBounds, family: Judged, type: SessionType, substitution = QUOTED) =>
  cells.filter((cell) => cell.family === family && cell.session_type === type && cell.substitution === substitution);

type Value = (cell: MeasuredCell) => number;
const SIZE = { name: 'stones in the lot', min: 10, max: 60 };

/** Pictures by file name; every one shows simulated lots. */
export function drawLots(measured: MeasuredBounds): Record<string, string> {
  const source = `mvs lots report, seed ${measured.seed}, lot model ${measured.model.slice(0, 16)}`;
  const each = (value: Value, families: readonly Drawn[] = DRAWN) =>
    families.flatMap((family) =>
      SESSION_TYPES.map((type) => ({
        name: `${type}, ${family}`,
        colour: COLOURS[type],
        ...DASHES[family],
        points: cellsOf(measured, family, type).map((cell): [number, number] => [cell.lot_size, value(cell)]),
      })),
    );
  return {
    'caught.svg': lines(
      'Unrelated substitutes caught at 20% substitution (simulated)',
      SIZE,
      { name: 'caught', share: true, min: 0, max: 1 },
      each((cell) => cell.unrelated_caught?.share ?? 0),
      source,
    ),
    'genuine.svg': lines(
      'Genuine members confirmed at 20% substitution (simulated)',
      SIZE,
      { name: 'confirmed', share: true, min: 0.75, max: 1 },
      [
        ...each((cell) => cell.genuine_confirmed.share),
        {
          name: 'promised: 96.2%',
          colour: INK.text,
          dashed: true,
          points: [
            [10, 0.962],
            [60, 0.962],
          ],
        },
      ],
      source,
    ),
    'false-accept.svg': lines(
      'One stranger against every member: accepted (simulated); its label is 10%',
      SIZE,
      { name: 'accepted', share: true, min: 0 },
      [
        ...each((cell) => cell.one_stone_false_accept?.share ?? 0, ['test', 'second']),
        {
          name: 'label',
          colour: INK.text,
          dashed: true,
          points: [
            [10, 0.1],
            [60, 0.1],
          ],
        },
      ],
      source,
    ),
    'twins.svg': lines(
      'Stones of the same rough caught at 20% substitution (simulated)',
      SIZE,
      { name: 'caught', share: true, min: 0, max: 1 },
      each((cell) => cell.twins_caught?.share ?? 0),
      source,
    ),
  };
}
