import { probabilityAt } from '#science/calibration/isotonic';
import { readModelFolder } from '#science/matching/folder';
import { shippedModel, shippedModelFolder } from '#science/matching/shipped';

/** Figures measured when the shipped asset was made (`mvs calibrate`), compared with the goals. */
describe('the shipped calibration', () => {
  const { asset } = readModelFolder(shippedModelFolder());

  it('is the shipped model’s, from stones enough', () => {
    expect(asset.model_digest).toBe(shippedModel().digest);
    expect(asset.source.stones).toBeGreaterThanOrEqual(5000);
    expect(asset.check.source.stones).toBeGreaterThanOrEqual(3000);
    const shareRefused = asset.source.refused / asset.source.stones;
    expect(shareRefused).toBeLessThanOrEqual(0.001);
  });

  it('held the wrong-claim rate on other stones within 0.1 point of the label at 0.99 to 0.95, as far as counts show', () => {
    for (const rung of asset.check.rungs.filter(({ reject_target }) => reject_target >= 0.95)) {
      const label = 1 - rung.reject_target;
      const [low, high] = rung.wrong_accepted_interval;
      const distance = Math.abs(rung.wrong_accepted - label);
      expect(distance <= 0.001 || (low <= label && label <= high)).toBe(true);
    }
  });

  it('erred in probability by 0.03 at most, on a monotone curve inside 0 and 1', () => {
    expect(asset.check.expected_calibration_error).toBeLessThanOrEqual(0.03);
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
