import { drawCharts, type Line, lines } from './charts.js';
import { drawEvidence } from './charts-evidence.js';
import { drawFamilies } from './charts-families.js';
import { colourOf } from './colours.js';
import type { LadderFigures, ProposalFigures, RungFigures } from './figures.js';

const half = { share: 0.5, interval: [0.4, 0.6] as [number, number] };
const rungs = ([0.9, 0.98] as const).map(
  (rejectTarget): RungFigures => ({
    rejectTarget,
    threshold: { own: 0.4, shipped: 0.5 },
    confirmed: { own: half, shipped: half },
    wrongAccepted: half,
    bestOf29: { random: half, nearest: half },
  }),
);
const histogram = (count: number) => Array.from({ length: 80 }, (_, bin) => (bin === 60 ? count : 0));
const ladder = (population: string): LadderFigures => ({
  population,
  stones: 40,
  rungs,
  areaUnderRoc: 0.9,
  roc: [
    { wrong_accepted: 0.01, genuine_confirmed: 0.8 },
    { wrong_accepted: 0.1, genuine_confirmed: 0.9 },
  ],
  genuine: histogram(40),
  wrong: histogram(1560),
  // 13 of 40 genuine claims are 13/80 of all the weight; as much weight is wrong.
  reliability: [{ predicted: 0.5, observed: 0.5, weight: 13 / 40 }],
  ece: half,
});

describe('pictures', () => {
  const populations = ['client-b', 'client-a', 'calibration'];
  const pictures = drawCharts({ ladders: populations.map(ladder) });

  it('give a population one colour, whatever else is drawn', () => {
    const alone = drawCharts({ ladders: [ladder('client-a')] });
    for (const name of ['roc.svg', 'reliability.svg', 'ladder.svg', 'transfer.svg']) {
      for (const population of populations) expect(pictures[name]).toContain(colourOf(population));
      expect(alone[name]).toContain(colourOf('client-a'));
      expect(alone[name]).not.toContain(colourOf('client-b'));
    }
    const counted = { share: 0.5, interval: half.interval, of: 2 };
    const spread = { mean: 0.1, interval: half.interval, sd: 0.1, range: [0.05, 0.2] as [number, number] };
    const proposal: ProposalFigures = {
      population: 'client-a',
      stones: 40,
      rungs: [0.92, 0.99].map((rejectTarget) => ({
        rejectTarget: rejectTarget as 0.92 | 0.99,
        claims: 40,
        repetitions: 2,
        disjoint: true,
        before: 0.1,
        after: spread,
        intervalHolds: counted,
      })),
      accept: [],
    };
    expect(drawEvidence({ proposals: [proposal] })['reached.svg']).toContain(colourOf('client-a'));
    const pairs = [0, 8].map((count) => ({
      population: 'second-air',
      pairs: count,
      stones: 40,
      way: 'shipped' as never,
      confirmed: [half],
    }));
    expect(drawFamilies({ pairs })['own-pairs.svg']).toContain(colourOf('second-air'));
  });

  it('show every value and every goal inside the axes', () => {
    const inside = (svg: string) => {
      const ys = [...svg.matchAll(/<path d="M([\d.]+) ([\d.-]+)L([\d.]+) ([\d.-]+)/g)].flatMap(([, , a, , b]) => [
        +a,
        +b,
      ]);
      expect(ys.length).toBeGreaterThan(2);
      return ys.every((y) => y >= 0 && y <= 420);
    };
    const coverage = [
      { population: 'calibration', short: 'both' as const, drop: { share: 0, interval: half.interval } },
    ];
    const { 'coverage.svg': bars } = drawCharts({ coverage: coverage as never });
    expect(inside(bars)).toBe(true);
    expect(bars).toContain('stroke-dasharray');
    // Half of the claims confirmed lie far below where the ladder's axis begins for a good model.
    expect(inside(pictures['ladder.svg'])).toBe(true);
  });

  it('refuse a population without a colour, rather than lend it another one', () => {
    expect(() => drawCharts({ ladders: [ladder('client-z')] })).toThrow('client-z');
  });

  it('show counts and intervals in the reliability diagram', () => {
    const { 'reliability.svg': reliability } = pictures;
    expect(reliability).toContain('40 genuine, 1,560 wrong');
    expect(reliability).toContain('95% intervals');
    expect(reliability.match(/>13<\/text>/g)).toHaveLength(populations.length);
    const without = drawCharts({ ladders: [{ ...ladder('calibration'), reliability: [] }] })['reliability.svg'];
    const strokes = (svg: string) => svg.split(`stroke="${colourOf('calibration')}" `).length - 1;
    expect(strokes(reliability) - strokes(without)).toBe(1);
  });

  it.each([2, 6, 10, 14])('leave room above the curves for a legend of %d names', (count) => {
    const names = Array.from({ length: count }, (_, i) => `population ${i}`);
    const points: [number, number][] = [
      [0, 0],
      [1, 1],
    ];
    const svg = lines(
      'names',
      { name: 'x' },
      { name: 'y' },
      names.map((name) => ({ name, points, area: true })),
    );
    const heights = (pattern: RegExp) => [...svg.matchAll(pattern)].map(([, y]) => Number(y));
    const legend = heights(/translate[(][0-9.]+ ([0-9.]+)[)]"[^>]*>population/g);
    expect(legend).toHaveLength(count);
    expect(Math.max(...legend) + 8).toBeLessThan(Math.min(...heights(/<path d="M70 ([0-9.]+)L730 /g)));
  });

  it('name each line at its end, beside the plot, none upon another', () => {
    const names = ['one', 'a longer name', 'three'];
    const svg = lines(
      'names',
      { name: 'x' },
      { name: 'y' },
      names.map(
        (name, i): Line => ({
          name,
          points: [
            [1, 1 + i / 1000],
            [0, 0],
          ],
        }),
      ),
      'some stones',
    );
    const placed = names.map((name) => {
      const [, x, y] = new RegExp(`translate[(]([0-9.]+) ([0-9.]+)[)]"[^>]*>${name}<`).exec(svg) ?? [];
      return { x: Number(x), y: Number(y) };
    });
    const edge = Number(/<path d="M70 [0-9.]+L([0-9.]+) /.exec(svg)?.[1]);
    for (const { x } of placed) expect(x).toBeGreaterThan(edge);
    const ys = placed.map(({ y }) => y).sort((a, b) => a - b);
    for (const [i, y] of ys.slice(1).entries()) expect(y - ys[i]).toBeGreaterThan(9);
    expect(svg).toContain('>some stones<');
  });

  it('say how many claims the scores are of, and what the thresholds do', () => {
    expect(pictures['scores.svg']).toContain('genuine: 40 claims');
    expect(pictures['scores.svg']).toContain('wrong: 1,560 pairs');
    expect(pictures['scores.svg']).toContain(
      'shipped threshold at 0.98, 0.5000: 50.0% (40.0-60.0) of genuine confirmed',
    );
  });
});
