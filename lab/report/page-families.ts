import { FROZEN } from '../second-family/frozen.js';
import type { FamilyFigures, OwnPairsFigures, Parts, RealFigures, SensitivityFigures, Share } from './figures.js';
import { SHOWN } from './measure-families.js';
import { areaOf } from './measure-real.js';
import { percent, picture, rung, table, withInterval } from './text.js';

const worst = <T>(all: readonly T[], share: (one: T) => number): T =>
  all.reduce((lowest, one) => (share(one) < share(lowest) ? one : lowest));

/** The opening of the page: stones of another simulator than the one on which the model was trained. */
export function unseenFamilies(parts: Partial<Parts>, command: (part: keyof Parts) => string): string {
  const { families, pairs } = parts;
  if (!families) return '';
  const [live] = families;
  const shipped = families.filter(({ model }) => model === live.model);
  return `## Stones of another family of physics

The model was trained on the stones of one simulator. \`second-plain\`, \`second-air\` and \`second-scatter\` come from
a [second one](../docs/laboratory/simulator.md#the-second-family) with other bands, zoning, scatter, noise and instruments. It was set and frozen
(commit \`${FROZEN.commit}\`, digest of its scans \`${FROZEN.digest.slice(0, 16)}\`) before any training that is judged here, is never trained on, and
chose no model. **This is the nearest that simulated stones come to a laboratory's own; real stones may be further away.**

The worst of the three populations, as shipped, under the former model and after own pairs, opens the
[results](results.md#claims).

${pairs ? `${picture('own-pairs.svg', 'Claims confirmed at 0.98 by the number of own pairs')}\n` : ''}
By population; claims that the input checks refuse are not confirmed. ${live.stones} stones each. ${command('families')}

${familyTable(shipped)}
${pairs ? `\n${ownPairs(pairs, command('pairs'))}` : ''}`;
}

/** The worst population of the second family, by model and by own pairs: it opens the results. */
export function worstOfFamilies(families: FamilyFigures[], pairs?: OwnPairsFigures[]): string {
  const models = [...new Set(families.map(({ model }) => model))];
  return table(
    ['', ...SHOWN.map(rung), 'wrong claims accepted at the shipped 0.98'],
    [
      ...models.map((model, i) => {
        const all = families.filter((one) => one.model === model);
        const cells = SHOWN.map((_, r) => withInterval(worst(all, ({ rungs }) => rungs[r].own.share).rungs[r].own));
        const highest = worst(all, ({ rungs }) => -rungs[0].wrongAccepted.share).rungs[0].wrongAccepted;
        return [
          `${i === 0 ? 'as shipped' : 'the former model'} (\`${model.slice(0, 16)}\`)`,
          ...cells,
          withInterval(highest),
        ];
      }),
      ...ownPairRows(pairs),
    ],
  );
}

function familyTable(all: FamilyFigures[]): string {
  return table(
    [
      'population',
      ...SHOWN.map((target) => `${rung(target)}, own`),
      ...SHOWN.map((target) => `${rung(target)}, wrong accepted as shipped`),
      'mean wrong score',
      'calibration error of p',
      'refused',
    ],
    all.map(({ population, rungs, meanWrong, ece, refused }) => [
      population,
      ...rungs.map(({ own }) => withInterval(own)),
      ...rungs.map(({ wrongAccepted }) => withInterval(wrongAccepted)),
      meanWrong.toFixed(3),
      ece.toFixed(3),
      withInterval(refused),
    ]),
  );
}

function ownPairRows(pairs: OwnPairsFigures[] = []): string[][] {
  const counts = [...new Set(pairs.map((one) => one.pairs))].filter((count) => count > 0);
  return counts.map((count) => {
    const all = pairs.filter((one) => one.pairs === count);
    const cells = SHOWN.map((_, r) => withInterval(worst(all, ({ confirmed }) => confirmed[r].share).confirmed[r]));
    return [`after ${count.toLocaleString('en')} own pairs`, ...cells, 'set again'];
  });
}

const WAYS: Record<OwnPairsFigures['way'], string> = {
  shipped: 'as shipped',
  tuned: 'trained further',
  folded: 'closed form folded in',
  scratch: 'from scratch',
};

const ownPairs = (all: OwnPairsFigures[], command: string): string => `### What own pairs give

Models made of so many pairs of the population as \`mvs train --pairs --start shipped\` does (a quarter is held out; training on
from the shipped model and the closed form folded into it are tried, and the best on that quarter is kept), tested on ${all[0].stones} other stones with thresholds of their own. How a
laboratory does it: [a laboratory's way](../docs/laboratory/laboratory.md). ${command}

${table(
  ['population', 'own pairs', 'kept', ...SHOWN.map(rung)],
  all.map(({ population, pairs, way, confirmed }) => [
    population,
    pairs,
    WAYS[way],
    ...confirmed.map((share: Share) => withInterval(share)),
  ]),
)}`;

/** Public scans of real diamonds, and the result of a plain comparison of them. */
export function realStones(real: RealFigures, command: string): string {
  const name = (place: number) => `${real.scans[place].stone}, ${real.scans[place].way}`;
  const area = (score: Parameters<typeof areaOf>[1]) => areaOf(real.pairs, score)?.toFixed(2) ?? 'a scan is refused';
  const different = real.pairs.filter(({ same }) => !same);
  const passed = different.filter(({ model }) => model !== null && model > real.threshold).length;
  const [model, derivative, snv] = [area((p) => p.model), area((p) => p.derivative), area((p) => p.snv)];
  return `## Real diamonds

The only real figures on this page. ${real.scans.length} public scans of three polished diamonds, all cut at 4000 cm^-1: a bench
instrument with and without compensation for air (one measurement, computed twice), and one pixel of a map from a
microscope. There is no rough among them, so this only asks whether two scans of one stone score higher than two of different ones.
**Nothing here says that the model works on real stones**: ${real.pairs.length} pairs of three stones are next to no evidence. ${command}

- Area under the ROC, same stone against different: model ${model}, first derivative ${derivative}, standard normal variate ${snv}.
- ${passed} of ${different.length} pairs of different stones lie above the shipped 0.98 threshold (${real.threshold.toFixed(3)}), which should be 2%.
${belowPlain(real)}
Pairs of one stone, and those of different stones above the threshold ([all pairs](accuracy/figures.json)):

${table(
  ['scan', 'scan', 'stone', 'model', 'first derivative', 'SNV'],
  real.pairs
    .filter(({ same, model: score }) => same || (score ?? 0) > real.threshold)
    .map(({ scans: [a, b], same, model: score, derivative: d, snv: s }) => [
      name(a),
      name(b),
      same ? 'same' : 'different',
      score === null ? 'refused' : `${score.toFixed(2)}${score > real.threshold ? ', above' : ''}`,
      d.toFixed(2),
      s.toFixed(2),
    ]),
)}

Pairs help: scans of rough and polish of one stone from one laboratory, 100 at least, better 300 or 1,000.
[A laboratory's way](../docs/laboratory/laboratory.md) says how to bring them; no spectrum leaves the laboratory.`;
}

function belowPlain({ pairs }: RealFigures): string {
  const [model, derivative] = [areaOf(pairs, (p) => p.model), areaOf(pairs, (p) => p.derivative)];
  if (model === null || derivative === null || model >= derivative) return '';
  return '- **The model ranks these scans worse than a plain first derivative does.**\n';
}

/** The spectroscopist's first question: which changes of a scan move its score. */
export function sensitivity(figures: SensitivityFigures, command: string): string {
  const { population, stones, threshold, changes, regions, wrong } = figures;
  return `## What moves a score

${stones} genuine claims of \`${population}\`; the change is made to the polish's one scan alone, as if the light had gone through
2.5 mm of it, with the band shapes of the second family unless stated otherwise. A pair that truly differs by so much came of two stones, or of one
with strong zoning: the model discounts nitrogen because it varies inside a stone. Threshold ${threshold.toFixed(3)} (0.98, shipped).
${command}

${picture('sensitivity.svg', 'Mean score after a change to the polish')}

${table(
  ['change to the polish', 'mean score', 'still confirmed'],
  changes.map(({ change, score, matched }) => [change, score.toFixed(3), withInterval(matched)]),
)}

By region: a part of the polish's scan is exchanged for another stone's. The first columns say what its own rough still
makes of it, the last what the other stone's rough makes of it (untouched: ${wrong.score.toFixed(3)}, ${percent(wrong.matched.share)} accepted).

${picture('regions.svg', 'How much a score depends on each region')}

${table(
  ['region, cm^-1', 'mean score', 'still confirmed', "against the other stone's rough", 'accepted'],
  regions.map(({ from, to, own, other }) => [
    `${from}-${to}`,
    own.score.toFixed(3),
    withInterval(own.matched),
    other.score.toFixed(3),
    withInterval(other.matched),
  ]),
)}`;
}
