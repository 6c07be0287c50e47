import { measuredIn } from '#science/lots/measured';
import { shippedLotModel, shippedLotModelFolder } from '#science/lots/shipped';

it('every cell of the goals was measured on 300 lots and more', () => {
  const measured = measuredIn(shippedLotModelFolder(), shippedLotModel());
  const sizes = (family: string) =>
    measured?.cells.filter((cell) => cell.family === family && cell.substitution === 0.2 && cell.lots >= 300).length;
  expect(['test', 'newest', 'second'].map(sizes)).toEqual([12, 12, 12]);
});
