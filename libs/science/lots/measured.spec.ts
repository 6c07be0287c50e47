import { ModelFileError } from '#science/matching/safetensors';
import { falseAcceptsOf } from './folder.js';
import { loadMeasured, type MeasuredCell } from './measured.js';

const digest = 'ab'.repeat(32);
const cell = (lot_size: number, share: number, more: Partial<MeasuredCell> = {}): MeasuredCell => ({
  family: 'test',
  session_type: 'shaken',
  lot_size,
  substitution: 0.2,
  lots: 320,
  genuine_confirmed: { share: 0.97, interval: [0.96, 0.98] },
  genuine_misnamed: { share: 0.01, interval: [0, 0.02] },
  unrelated_caught: null,
  twins_caught: null,
  one_stone_false_accept: { share, interval: [share, share] },
  ...more,
});
const text = (model: string, cells: MeasuredCell[]) =>
  JSON.stringify({ simulated: true, note: '', model, seed: 1, scans: 3, cells, rehearsal: [] });

it('quotes the nearest measured size of the same session, never another family or share', () => {
  const cells = [
    cell(30, 0.9, { family: 'second' }),
    cell(30, 0.8, { session_type: 'table-up' }),
    cell(30, 0.7, { substitution: 0.4 }),
    cell(10, 0.1),
    cell(60, 0.3),
  ];
  const measured = loadMeasured(text(digest, cells), { digest });
  expect(falseAcceptsOf(measured, 20).shaken).toEqual({ label: 0.1, measured: { share: 0.1, interval: [0.1, 0.1] } });
  expect(falseAcceptsOf(measured, 30).shaken.measured?.share).toBe(0.3);
  expect(falseAcceptsOf(measured, 30)['culet-focus'].measured).toBeNull();
  expect(falseAcceptsOf(null, 30).shaken).toEqual({ label: 0.1, measured: null });
});

it.each([
  ['of another model', text('cd'.repeat(32), [])],
  ['cut short', text(digest, []).slice(0, 40)],
  ['that are none', '{"simulated": true}'],
  ['of nothing', 'null'],
])('takes no figures %s', (_, figures) => {
  expect(() => loadMeasured(figures, { digest })).toThrow(ModelFileError);
});
