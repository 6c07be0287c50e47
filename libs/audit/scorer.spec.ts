/** Bundles of populations that had scorers of their own: every verifier recomputes them, and none takes a forged one. */
import { execFile, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCORER_METHODS } from '#calibration';
import { upcast } from '#domain';
import { openSqliteEventReader } from '#event-store';
import { VERIFIER } from './bundle.js';
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
import { SCORED, type Size, writeScored } from './test/scored.js';
import { verifyBundle } from './unpack.js';
import { zipBundle } from './zip.js';

const PYTHON = '/usr/bin/python3';
const SECOND = join(dirname(VERIFIER), 'verify.py');
const numpyIsHere = spawnSync(PYTHON, ['-c', 'import numpy']).status === 0;
const withPython = numpyIsHere || process.env.MVS_REQUIRE_SERVICES === '1';
const ALL = (code: number) => Array.from({ length: withPython ? 2 : 1 }, () => code);

let place: string;
/** With one scorer in force; and with two, both withdrawn. */
let sound: Files;
const zips = { one: '', two: '' };

async function exported(name: string, size: Size): Promise<string> {
  await writeScored(join(place, name), size);
  const reader = openSqliteEventReader({ directory: join(place, name), upcast });
  const file = join(place, `${name}.zip`);
  const { zip, done } = await zipBundle({ reader, population: SCORED });
  await Promise.all([done, pipeline(zip, createWriteStream(file))]);
  await reader.close();
  return file;
}

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'mvs-scored-'));
  zips.one = await exported('one', { encoders: ['one'], first: 78 });
  zips.two = await exported('two', { encoders: ['one', 'two'], first: 36, second: 76 });
  sound = await filesOfZip(zips.one);
}, 900_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (program: string, args: string[]) =>
  new Promise<{ code: number; says: string }>((resolve) => {
    execFile(program, args, (error, out, errors) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, says: `${out}${code === 0 ? '' : errors}` });
    });
  });
const verdicts = async (path: string) => {
  const said = await Promise.all([
    run(process.execPath, [VERIFIER, path]),
    ...(withPython ? [run(PYTHON, [SECOND, path])] : []),
  ]);
  return { codes: said.map(({ code }) => code), says: said.map(({ says }) => says) };
};

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
        one.banks[0].rungs[8].threshold -= 1e-4;
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

describe('a bundle of a population with a scorer', () => {
  it('is found sound by all verifiers, with a scorer in force, superseded or withdrawn', async () => {
    for (const file of [zips.one, zips.two]) {
      expect(await verdicts(file)).toEqual({ codes: ALL(0), says: ALL(0).map(() => 'OK\n') });
    }
    expect(await verifyBundle(zips.one)).toMatchObject({ code: 0, says: 'OK\n' });
    const decided = eventsOf(await filesOfZip(zips.two)).filter(({ stream }) => stream.startsWith('calibration-'));
    const kinds = decided.map(({ type, data }) => [type, data.proposal?.curve ?? data.scorer?.length]);
    expect(kinds).toEqual([
      ['ScorerRequested', 'shipped'],
      ['ScorerApproved', 'shipped'],
      ['RungApproved', 64],
      ['ScorerWithdrawn', undefined],
      ['RungApproved', undefined],
      ['ScorerRequested', 'own'],
      ['ScorerApproved', 'own'],
      ['RungApproved', 64],
      ['ScorerWithdrawn', undefined],
    ]);
    const methods = decided.filter(({ type }) => type === 'ScorerApproved').map(({ data }) => data.proposal.method);
    expect(methods).toEqual(SCORER_METHODS);
  }, 900_000);

  it('holds each vector once: the bank is that of the evidence', () => {
    const floats = [...sound]
      .filter(([path]) => path.endsWith('.f32'))
      .reduce((sum, [, { length }]) => sum + length, 0);
    expect(JSON.parse(sound.get('manifest.json')!.toString()).format).toBe(SCORED_FORMAT);
    const header = JSON.parse(sound.get(pathOf(sound, /scorer-[0-9a-f]+\.json$/))!.toString());
    expect(header.groups.length).toBe(84);
    expect(Math.max(...header.groups)).toBe(77);
    expect(header.weights).toContain(0);
    const rows = header.directions.flat().reduce((sum: number, count: number) => sum + count + 2, 0);
    expect(floats).toBe(sound.get(pathOf(sound, /vectors\.f32$/))!.length + 1024 * rows);
  });

  it('tells in its report what was approved, by whom, what it brought and how long it decided, with a picture', async () => {
    const report = sound.get('report.html')!.toString();
    const { rungs, groups, claims, trimmed } = eventsOf(sound).find(({ type }) => type === 'ScorerApproved')!.data
      .proposal;
    expect(report.match(/<svg/g)).toHaveLength(1);
    expect(report).toContain(`${claims} counted claims; the newest of them make ${groups} groups of distinct stones`);
    expect(report).toContain(`${trimmed} claims that look wrong`);
    expect(report).toMatch(/by ben, as anna had asked, \S+: why/);
    expect(report).toContain('It is in force');
    expect(rungs).toHaveLength(10);
    for (const { reject_target, ...shares } of rungs) {
      const cells = ['confirmed_raw', 'confirmed_mapped', 'wrong_raw', 'wrong_mapped'].map(
        (column) => `<td>${(100 * shares[column]).toFixed(1)}%</td>`,
      );
      expect(report).toContain(`<td>${reject_target.toFixed(2)}</td>${cells.join('')}`);
    }
    const ended = (await filesOfZip(zips.two)).get('report.html')!.toString();
    expect(ended.match(/It ended \S+: withdrawn by anna[.]/g)).toHaveLength(2);
  });

  it.each(FORGED)(
    'with %s is refused by all',
    async (_, change, says) => {
      const files: Files = new Map(sound);
      change(files);
      const folder = writeFiles(files);
      try {
        const found = await verdicts(folder);
        expect(found).toEqual({ codes: ALL(1), says: ALL(1).map(() => expect.stringMatching(says)) });
      } finally {
        removeFolder(folder);
      }
    },
    120_000,
  );
});
