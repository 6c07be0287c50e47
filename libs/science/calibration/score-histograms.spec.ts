import { each, scoreHistograms } from './score-histograms.js';

const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);

describe('histograms of scores', () => {
  it('hold every score between the edges of its bin', () => {
    const { from, width, genuine, wrong } = scoreHistograms(each([0.5, 0.75, 0.999]), (visit) => {
      visit(-0.25, 3);
      visit(0.5, 2);
    });
    expect([from, width]).toEqual([-0.25, 1 / 64]);
    const at = (score: number) => Math.floor((score - from) / width);
    expect([genuine.length, sum(genuine), sum(wrong)]).toEqual([at(0.999) + 1, 3, 5]);
    expect([genuine[at(0.5)], genuine[at(0.75)], genuine[at(0.999)]]).toEqual([1, 1, 1]);
    expect([wrong[0], wrong[at(0.5)]]).toEqual([3, 2]);
  });

  it('stay within so many bins, however far the scores lie apart, and hold nothing of nothing', () => {
    const wide = scoreHistograms(each([-37.2, 0, 81.9]), each([1]));
    expect(wide.genuine.length).toBeLessThanOrEqual(128);
    expect([sum(wide.genuine), sum(wide.wrong)]).toEqual([3, 1]);
    expect(scoreHistograms(each([]), each([]))).toMatchObject({ genuine: [], wrong: [] });
  });
});
