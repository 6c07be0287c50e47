import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withIds } from '#pictures/chart';
import { measuredIn } from '#science/lots/measured';
import { shippedLotModel, shippedLotModelFolder } from '#science/lots/shipped';
import { drawLots } from './charts.js';
import { measuredPart, withMeasured } from './page.js';

const model = shippedLotModel();
const measured = measuredIn(shippedLotModelFolder(), model);
const reports = join(dirname(dirname(shippedLotModelFolder())), 'reports');

it('reports/lots-measured.md and its pictures say what was measured with the shipped model (mvs lots report --pages)', () => {
  if (!measured) throw new Error('the shipped lot model has no measured.json');
  const page = readFileSync(join(reports, 'lots-measured.md'), 'utf8');
  expect(withMeasured(page, measuredPart(measured, model))).toBe(page);
  // Ids of pictures depend on how many a process has drawn.
  for (const [name, svg] of Object.entries(drawLots(measured)))
    expect(withIds(readFileSync(join(reports, 'lots', name), 'utf8'), '')).toBe(withIds(svg, ''));
});

it('every cell of the goals was measured on 300 lots and more', () => {
  const sizes = (family: string) =>
    measured?.cells.filter((cell) => cell.family === family && cell.substitution === 0.2 && cell.lots >= 300).length;
  expect(['test', 'newest', 'second'].map(sizes)).toEqual([12, 12, 12]);
});
