import { createHash } from 'node:crypto';
import { stoneFiles } from '../simulator/index.js';
import { trainingPlan } from '../training/index.js';
import { SECOND_FAMILY } from './populations.js';
import { simulateSecondFamily } from './simulate.js';

describe('the second family', () => {
  // Set down in the commit 3b6dcf1bf80a, before any training that was judged by it.
  it('gives the scans it was frozen with', () => {
    const hash = createHash('sha256');
    for (const name of SECOND_FAMILY)
      for (let stone = 0; stone < 10; stone++)
        for (const { name: file, data } of stoneFiles(simulateSecondFamily(name, 1, stone), 'csv'))
          hash.update(file).update(data);
    expect(hash.digest('hex')).toBe('dcbae8a01b576fdb1b6cba482c97bc3496a9a5d1a5db21e1aa9281077ca60c5b');
  });

  it('is never trained on', () => {
    const { train, heldOut } = trainingPlan('any', 2048, 1, 1);
    const drawn = [...train.draws, ...heldOut.draws].map(({ population }) => population);
    expect(drawn.filter((name) => (SECOND_FAMILY as string[]).includes(name))).toEqual([]);
  });

  it.each(SECOND_FAMILY)('makes any stone of %s alone, and keeps its first scans when more are taken', (name) => {
    const few = simulateSecondFamily(name, 3, 7, { roughScans: 2, polishScans: 1 });
    simulateSecondFamily(name, 3, 8);
    const many = simulateSecondFamily(name, 3, 7, { roughScans: 4, polishScans: 2 });
    expect(many.rough.slice(0, 2)).toEqual(few.rough);
    expect(many.polish.slice(0, 1)).toEqual(few.polish);
    for (const { absorbance } of [...many.rough, ...many.polish])
      expect(absorbance.every((a) => a > -0.5 && a < 5)).toBe(true);
  });

  it('measures a stone again in another session, and another stone of its parcel as a look-alike', () => {
    const [one, again, near] = [{}, { session: 1 }, { lookAlike: 1 }].map((options) =>
      simulateSecondFamily('second-plain', 3, 7, { roughScans: 1, ...options }),
    );
    expect(again.id).toBe(one.id);
    expect(again.rough[0].absorbance).not.toEqual(one.rough[0].absorbance);
    expect(near.id).not.toBe(one.id);
    expect([near.mine, near.pocket]).toEqual([one.mine, one.pocket]);
  });

  it('traces without noise are smooth: all that is random from point to point is the noise', () => {
    const roughness = (noise: number) => {
      const [{ absorbance: a }] = simulateSecondFamily('second-plain', 3, 2, { roughScans: 1, noise }).rough;
      // Above the lattice's absorption: 5000 to 6000 cm^-1 of a descending axis of 3.86 cm^-1.
      const part = a.slice(300, 500);
      return part.slice(2).reduce((sum, value, i) => sum + Math.abs(value - 2 * part[i + 1] + part[i]), 0);
    };
    expect(roughness(0)).toBeLessThan(roughness(1) / 10);
  });

  it('goes into every file format of the first', () => {
    const stone = simulateSecondFamily('second-air', 3, 1, { roughScans: 2 });
    for (const format of ['csv', 'dpt', 'opus'] as const) expect(stoneFiles(stone, format)).toHaveLength(3);
  });
});
