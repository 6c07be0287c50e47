import { TestLog } from '#kit/views/test/log';
import { differingBits, NEAR, similarity, sketchOf } from './nearness.js';

describe('sketches', () => {
  it('keep the cosine to a hundredth, and near ones have near signatures', () => {
    const log = new TestLog();
    const angles = [0, 0.05, 0.1, 0.2, 0.25];
    angles.forEach((angle, session) => {
      log.claim({ rough: { stone: 'A', session, angle }, polish: { stone: 'P' } });
    });
    const banked = log.events.filter(({ type, data }) => type === 'ScanSetBanked' && data.side === 'rough');
    const [first, ...others] = banked.map(({ data }) => sketchOf(data.vectors as Record<string, string>));
    others.forEach((sketch, i) => {
      expect(similarity(first.values, sketch.values)).toBeCloseTo(Math.cos(angles[i + 1]), 2);
      const bits = differingBits(first, sketch.low, sketch.high);
      if (Math.cos(angles[i + 1]) > NEAR.copy.cosine) expect(bits).toBeLessThanOrEqual(NEAR.copy.slack);
      expect(bits).toBeLessThanOrEqual(NEAR.rescan.slack);
    });
  });
});
