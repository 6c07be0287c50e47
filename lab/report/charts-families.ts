import { bars, type Line, lines } from './charts.js';
import type { Parts } from './figures.js';

/** Pictures of the parts about other families and about changes that move a score. */
export function drawFamilies({ pairs, sensitivity }: Partial<Parts>, source?: string): Record<string, string> {
  const pictures: Record<string, string> = {};
  if (pairs) {
    const populations = [...new Set(pairs.map(({ population }) => population))];
    pictures['own-pairs.svg'] = lines(
      'Claims confirmed at 0.98 after training on own pairs (simulated, second family)',
      { name: 'own pairs', min: 0 },
      { name: 'confirmed at 0.98', share: true, min: 0, max: 1 },
      populations.map((name) => ({
        name,
        population: name,
        points: pairs
          .filter(({ population }) => population === name)
          .map(({ pairs: count, confirmed }): [number, number] => [count, confirmed[0].share]),
      })),
      source,
    );
  }
  if (sensitivity) {
    const { changes, regions, threshold, wrong } = sensitivity;
    pictures['sensitivity.svg'] = bars(
      'Mean score of genuine claims after a change to the polish (simulated)',
      changes.map(({ change, score }) => [change.replace(/, \d.*/, '').replaceAll('cm^-1', 'cm⁻¹'), score]),
      threshold,
      { lying: true, mark: 'threshold', source },
    );
    const steps = (value: (region: (typeof regions)[number]) => number): Line['points'] =>
      regions.flatMap((region): [number, number][] => [
        [region.from, value(region)],
        [region.to, value(region)],
      ]);
    const [{ score }] = changes;
    pictures['regions.svg'] = lines(
      'Change of the score by each region of the spectrum (simulated)',
      { name: 'wavenumber, cm⁻¹', min: 400, max: 6000 },
      { name: 'change of the mean score' },
      [
        { name: "lost when it is another stone's", points: steps(({ own }) => score - own.score), area: true },
        { name: 'gained by that stone', points: steps(({ other }) => other.score - wrong.score) },
      ],
      source,
    );
  }
  return pictures;
}
