import { NOT_SENT, Tally } from './tally.js';

it('counts the pairs that a run did not come to, and names every other once', () => {
  const tally = new Tally();
  for (let i = 0; i < 60; i++) tally.leave(`S${i}`, NOT_SENT);
  tally.leave('half', 'only one side is there');
  const fix = 'rough: bad_rough_1.csv: no parseable spectra';
  tally.answer('bad', { pair: '1', stone: 'bad', action: 'mend', file: 'bad_rough_1.csv', fix });
  expect(tally.summary()).toEqual([
    '62 pairs: 0 match, 0 no match, 0 to review, 1 refused, 61 not answered',
    `refused: bad: ${fix}`,
    'not answered: half: only one side is there',
    'not sent: 60 pairs, as the run ended before',
  ]);
});
