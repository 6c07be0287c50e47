import { probabilityAt } from '#science/calibration/isotonic';
import { readModelFolder } from '#science/matching/folder';
import { shippedModel, shippedModelFolder } from '#science/matching/shipped';

/** Figures measured when the shipped asset was made (`mvs calibrate`), compared with the goals. */
describe('the shipped calibration', () => {
  const { asset } = readModelFolder(shippedModelFolder());

  it('is the shipped model’s, from worlds enough', () => {
    expect(asset.model_digest).toBe(shippedModel().digest);
    const worlds = asset.ladder_source?.reduce((sum, one) => sum + one.worlds, 0);
    expect(worlds).toBeGreaterThanOrEqual(100);
    expect(asset.check.source.stones).toBeGreaterThanOrEqual(1000);
    const shareRefused = asset.source.refused / asset.source.stones;
    expect(shareRefused).toBeLessThanOrEqual(0.001);
  });

  it('keeps the word of every rung in all worlds together and at home, on stones that set none', () => {
    for (const { reject_target, wrong_pairs, wrong_pairs_accepted } of asset.rungs)
      expect(wrong_pairs_accepted / wrong_pairs).toBeLessThanOrEqual(1 - reject_target + 1e-6);
    for (const { reject_target, wrong_accepted } of asset.check.rungs)
      expect(wrong_accepted).toBeLessThanOrEqual(1 - reject_target);
  });

  it('sends most of the genuine claims that the default rung misses to review', () => {
    const { genuine_missed = 0, missed_in_review = 0 } = asset.check.rungs[8];
    expect(missed_in_review).toBeGreaterThan(genuine_missed / 2);
  });

  it('erred in probability by 0.035 at most, on a monotone curve inside 0 and 1', () => {
    expect(asset.check.expected_calibration_error).toBeLessThanOrEqual(0.035);
    let before = 0;
    for (let score = -1; score <= 1; score += 0.001) {
      const probability = probabilityAt(asset.p_match_5050, score);
      expect(probability).toBeGreaterThan(0);
      expect(probability).toBeLessThan(1);
      expect(probability).toBeGreaterThanOrEqual(before);
      before = probability;
    }
  });
});
