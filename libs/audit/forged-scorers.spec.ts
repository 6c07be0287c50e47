/** Bundles of a population that had a scorer of its own, each forged in one place: no verifier takes one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Change, first } from './test/changes.js';
import {
  changeEvents,
  eventsOf,
  type Files,
  filesOfZip,
  type Line,
  putEvents,
  refit,
  removeFolder,
  writeFiles,
} from './test/forge.js';
import { forgeLadders, forgeScorer, pathOf, putRows, SCORED_FORMAT } from './test/forge-scorer.js';
import { ALL, bothVerifiers, exported } from './test/scored-bundle.js';

const verdicts = bothVerifiers();
let place: string;
let sound: Files;
/** Of few claims. */
let few: Files;
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'mvs-forged-'));
  sound = await filesOfZip(await exported(place, 'one', { encoders: ['one'], first: 78 }));
  few = await filesOfZip(await exported(place, 'few', { encoders: ['one'], first: 12 }));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const approval =
  (change: (proposal: Line['data']) => void, type = 'ScorerApproved'): Change =>
  (files) => {
    const of = (one: Line) => {
      if (one.type === type) change(one.data.proposal);
    };
    changeEvents(files, of, SCORED_FORMAT);
  };
const events =
  (change: (events: Line[]) => void): Change =>
  (files) => {
    const all = eventsOf(files);
    change(all);
    putEvents(files, all, SCORED_FORMAT);
  };
const without =
  (end: RegExp): Change =>
  (files) => {
    files.delete(pathOf(files, end));
    refit(files, SCORED_FORMAT);
  };

/** Each with the sentence that both verifiers have for it. */
const FORGED: [name: string, change: Change, says: RegExp][] = [
  [
    'a vector changed',
    (files) => {
      const path = pathOf(files, /vectors\.f32$/);
      const bytes = Buffer.from(files.get(path)!);
      bytes.writeFloatLE(bytes.readFloatLE(400) + 0.01, 400);
      files.set(path, bytes);
      refit(files, SCORED_FORMAT);
    },
    /is not what events\.ndjson has banked|not the scorer/,
  ],
  [
    'a value of a map changed',
    (files) =>
      forgeScorer(files, (_, tables) => {
        tables[3 * 256 + 5] *= 1.01;
      }),
    /other directions/,
  ],
  [
    'a mean of a map changed',
    (files) =>
      forgeScorer(files, (_, tables) => {
        tables[5] += 1e-4;
      }),
    /mean/,
  ],
  [
    'a threshold of its ladder changed',
    (files) =>
      forgeScorer(files, (header) => {
        header.ladder.rungs[8].threshold -= 1e-4;
      }),
    /its ladder is not/,
  ],
  [
    'a group dropped',
    (files) =>
      forgeScorer(files, (header) => {
        header.groups = header.groups.map((group: number) => Math.min(group, 70));
      }),
    /its groups is not/,
  ],
  [
    'a claim trimmed that looks right',
    (files) =>
      forgeScorer(files, (header) => {
        header.weights[20] = 0;
      }),
    /its weights are others/,
  ],
  [
    'a claim trusted that was trimmed',
    (files) =>
      forgeScorer(files, (header) => {
        header.weights[header.weights.indexOf(0)] = 1;
      }),
    /its weights are others/,
  ],
  [
    'a point of its curve moved',
    (files) =>
      forgeScorer(files, (header) => {
        const { probabilities } = header.curve;
        probabilities[Math.floor(probabilities.length / 2)] = probabilities.at(-1);
      }),
    /its probability curve/,
  ],
  [
    'the curve of the model in place of its own',
    (files) =>
      forgeScorer(files, (header) => {
        header.curve = { scores: [-0.1, 0.3], probabilities: [0.1, 0.9], from: 'shipped' };
      }),
    /its probability curve/,
  ],
  [
    'other ladders than those of the scorer',
    (files) =>
      forgeLadders(files, (one) => {
        one.banks.find(({ groups }: { groups: number }) => groups === 30).rungs[8].threshold -= 1e-4;
      }),
    /its ladder is not/,
  ],
  [
    'another digest of the scorer',
    approval((one) => {
      one.scorer = '0'.repeat(64);
    }),
    /is missing/,
  ],
  [
    'a method that nobody knows',
    approval((one) => {
      one.method = 'population-scorer/9';
    }),
    /did not request it|this verifier knows/,
  ],
  [
    'the former method',
    approval((one) => {
      one.method = 'population-scorer/1';
    }),
    /did not request it|with any ladders/,
  ],
  [
    'another digest of the proposal',
    approval((one) => {
      one.digest = '0'.repeat(64);
    }),
    /did not request it|with any ladders/,
  ],
  [
    'a group more in the proposal',
    approval((one) => {
      one.groups++;
    }),
    /groups is 7/,
  ],
  [
    'a share that no claims give',
    approval((one) => {
      one.rungs[8].confirmed_mapped = 1;
      one.rungs[8].wrong_mapped = 0.9;
    }),
    /of rung 0\.98/,
  ],
  ['the scorer’s header missing', without(/scorer-[0-9a-f]+\.json$/), /is missing/],
  ['the scorer’s tables missing', without(/scorer-[0-9a-f]+\.f32$/), /is missing/],
  ['the ladders missing', without(/ladders-/), /with any ladders/],
  [
    'a scorer that nothing names',
    (files) => {
      files.set(
        pathOf(files, /ladders-/).replace(/[0-9a-f]{64}\.json$/, `${'0'.repeat(64)}.json`),
        Buffer.from('{}\n'),
      );
      refit(files, SCORED_FORMAT);
    },
    /no approval rests on/,
  ],
  [
    'its tables cut',
    (files) => {
      const path = pathOf(files, /scorer-[0-9a-f]+\.f32$/);
      putRows(files, path, path, files.get(path)!.subarray(0, -1024));
      refit(files, SCORED_FORMAT);
    },
    /another shape/,
  ],
  [
    'an approval before its request',
    events((all) => {
      const [asked, granted] = [first(all, 'ScorerRequested'), first(all, 'ScorerApproved')];
      const [i, j] = [all.indexOf(asked), all.indexOf(granted)];
      [all[i], all[j]] = [granted, asked];
      [granted.revision, asked.revision] = [asked.revision, granted.revision];
    }),
    /did not request it/,
  ],
  [
    'one operator in place of two',
    events((all) => {
      first(all, 'ScorerApproved').data.operator = 'anna';
    }),
    /did not request it/,
  ],
  [
    'the first operator another one',
    events((all) => {
      first(all, 'ScorerApproved').data.requested_by = 'carl';
    }),
    /did not request it/,
  ],
  [
    'a rung approved as if by raw scores',
    events((all) => {
      first(all, 'RungApproved').data.scorer = null;
    }),
    /its scorer is null, in force is/,
  ],
  [
    'a rung’s threshold changed',
    approval((one) => {
      one.threshold += 1e-3;
    }, 'RungApproved'),
    /threshold is/,
  ],
  [
    'a rung’s interval changed',
    approval((one) => {
      one.interval[0] -= 0.05;
    }, 'RungApproved'),
    /interval is/,
  ],
  [
    'a rung’s share of wrong claims changed',
    approval((one) => {
      one.wrong_per_1000 += 1;
    }, 'RungApproved'),
    /wrong_per_1000 is/,
  ],
  [
    'a score that the scorer does not give',
    events((all) => {
      const scored = all.find(({ type, data }) => type === 'ClaimScored' && data.result.scorer === 'population')!;
      scored.data.result.fused_score += 1e-3;
    }),
    /has a score that no scorer gives/,
  ],
  [
    'a verdict that its score does not give',
    events((all) => {
      const scored = all.find(({ type, data }) => type === 'ClaimScored' && data.result.scorer === 'population')!;
      scored.data.result.verdict = scored.data.result.verdict === 'MATCH' ? 'NO_MATCH' : 'MATCH';
    }),
    /has another verdict/,
  ],
  ['its events in a format that has none', (files) => refit(files, 'mvs-audit/2'), /which no bundle holds/],
];

async function refusedByAll(files: Files, says: RegExp): Promise<void> {
  const folder = writeFiles(files);
  try {
    const found = await verdicts(folder);
    expect(found).toEqual({ codes: ALL(1), says: ALL(1).map(() => expect.stringMatching(says)) });
  } finally {
    removeFolder(folder);
  }
}

it.each(FORGED)('a bundle with %s is refused by all', async (_, change, says) => {
  const files: Files = new Map(sound);
  change(files);
  await refusedByAll(files, says);
});

/** The first value of a table that ladders hold as base64. */
const raised = (text: string): string => {
  const bytes = Buffer.from(text, 'base64');
  bytes.writeFloatLE(bytes.readFloatLE(0) + 0.01, 0);
  return bytes.toString('base64');
};

/** Of a scorer of few claims, which rests on covariances of worlds. */
it.each<[name: string, change: Parameters<typeof forgeLadders>[1], says: RegExp]>([
  [
    'within changed',
    ({ worlds: { covariances } }) => Object.assign(covariances[0], { within: raised(covariances[0].within) }),
    /weights are others|other directions/,
  ],
  [
    'across changed',
    ({ worlds: { covariances } }) => Object.assign(covariances[0], { across: raised(covariances[0].across) }),
    /weights are others|other directions/,
  ],
  [
    'cut',
    ({ worlds: { covariances } }) => Object.assign(covariances[0], { across: covariances[0].across.slice(0, -4) }),
    /of another shape/,
  ],
  ['missing of an encoder', ({ worlds }) => worlds.covariances.pop(), /another number of encoders/],
  [
    'missing',
    (ladders) => {
      delete ladders.worlds;
    },
    /without the covariances of worlds/,
  ],
])('ladders with covariances %s are refused by all', async (_, change, says) => {
  const files: Files = new Map(few);
  forgeLadders(files, change);
  await refusedByAll(files, says);
});
