import fc from 'fast-check';
import { type Bank, CrossScores } from './cross-scores.js';
import { dot } from './test/dot.js';

/** Stones on the unit circle: polish i lies `shift` from rough i. */
function circle(angles: number[], shift: number, stones: Partial<Bank['stones'][number]>[] = []): Bank {
  const side = (turn: number) =>
    Float32Array.from(angles.flatMap((angle) => [Math.cos(angle + turn), Math.sin(angle + turn)]));
  return {
    stones: angles.map((_, i) => ({ roughDigest: `r${i}`, polishDigest: `p${i}`, ...stones[i] })),
    encoders: [{ rough: side(0), polish: side(shift), width: 2 }],
  };
}

const spread = (n: number) => Array.from({ length: n }, (_, i) => (i * 2 * Math.PI) / n);

describe('CrossScores', () => {
  it('keeps the claims apart and scores every pair of different stones', async () => {
    const scores = await CrossScores.of(circle([0, 1, 2], 0.1), dot);
    expect(scores.genuine).toHaveLength(3);
    for (const claim of scores.claims) expect(claim).toBeCloseTo(Math.cos(0.1), 6);
    const expected = [1.1, 2.1, 0.9, 1.1, 1.9, 0.9].map(Math.cos).sort((a, b) => a - b);
    expect(scores.wrong).toHaveLength(6);
    expected.forEach((value, i) => {
      expect(scores.wrong[i]).toBeCloseTo(value, 6);
    });
  });

  it('leaves out pairs of one reference, of one digest, and of nearly identical vectors', async () => {
    const angles = [0, 1, 2, 3, 4, 4.001];
    const bank = circle(angles, 0.1, [
      { reference: 'S1' },
      { reference: 'S1' },
      { roughDigest: 'same' },
      { roughDigest: 'same' },
    ]);
    // 30 pairs less 2 of one reference, 2 of one digest, 2 nearly identical.
    expect((await CrossScores.of(bank, dot)).wrong).toHaveLength(24);
  });

  it('averages the encoders', async () => {
    const bank = circle([0, 1], 0);
    bank.encoders.push(circle([0, 2], 0).encoders[0]);
    expect((await CrossScores.of(bank, dot)).wrong[0]).toBeCloseTo((Math.cos(1) + Math.cos(2)) / 2, 6);
  });

  it('sets a threshold that accepts no more wrong claims than the rung says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 6.28, noNaN: true }), { minLength: 4, maxLength: 30 }),
        fc.integer({ min: 90, max: 99 }),
        async (angles, percent) => {
          const scores = await CrossScores.of(circle(angles, 0.3), dot);
          fc.pre(scores.wrong.length > 0);
          const { threshold, interval } = scores.threshold(percent / 100);
          const accepted = scores.wrongAccepted(threshold);
          expect(accepted.share).toBeLessThanOrEqual(1 - percent / 100 + 1e-9);
          expect(accepted.interval[0]).toBeLessThanOrEqual(accepted.share);
          expect(accepted.interval[1]).toBeGreaterThan(accepted.share);
          expect(interval[0]).toBeLessThanOrEqual(threshold);
          expect(interval[1]).toBeGreaterThanOrEqual(threshold);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is not certain of a share of wrong claims where few stones are alike', async () => {
    const scores = await CrossScores.of(circle([0, 1], 0.1), dot);
    for (const [threshold, share] of [
      [1, 0],
      [Math.cos(1), 0.5],
    ]) {
      const found = scores.wrongAccepted(threshold);
      expect([found.share, found.standardError]).toEqual([share, 0]);
      expect(found.interval[1]).toBeGreaterThan(share + 0.3);
    }
  });

  it('gives the best of k decoys exactly', async () => {
    const scores = await CrossScores.of(circle(spread(12), 0.01), dot);
    // Above cos(0.6): the two neighbours of 11. Two decoys are both rejected in (9 x 8) of (11 x 10) draws.
    expect(scores.bestOfRejected(2, Math.cos(0.6))?.share).toBeCloseTo(72 / 110, 9);
    expect(scores.bestOfRejected(29, 0.9)).toBeNull();
  });

  it('counts confirmed claims above the threshold, not at it', async () => {
    const scores = await CrossScores.of(circle(spread(4), 0), dot);
    const top = scores.genuine[3];
    expect(scores.confirmed(top).share).toBe(scores.claims.filter((one) => one > top).length / 4);
    expect(scores.confirmed(0.5).share).toBe(1);
  });
});
