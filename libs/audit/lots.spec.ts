/** Bundles of workspaces: every verifier recomputes their lot scorers, and finds what was changed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsOf, type Files, filesOfZip, type Line, refit, removeFolder, writeFiles } from './test/forge.js';
import { putLotEvents, refitDigests } from './test/forge-lots.js';
import { exportedWorkspace, WORKSPACE } from './test/lots.js';
import { ALL, bothVerifiers } from './test/scored-bundle.js';
import { verifyBundle } from './unpack.js';

const verdicts = bothVerifiers();
let place: string;
let zip: string;
let sound: Files;
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'mvs-lots-audit-'));
  zip = await exportedWorkspace(place);
  sound = await filesOfZip(zip);
}, 300_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What every verifier says of the files as `change` leaves them; they all say that something differs. */
async function refusals(change: (files: Files) => void): Promise<string[]> {
  const files = new Map([...sound].map(([path, content]) => [path, Buffer.from(content)]));
  change(files);
  const folder = writeFiles(files);
  try {
    const { codes, says } = await verdicts(folder);
    expect(codes).toEqual(ALL(1));
    return says;
  } finally {
    removeFolder(folder);
  }
}
const events = (change: (events: Line[]) => Line[] | undefined) => (files: Files) => {
  const all = eventsOf(files);
  putLotEvents(files, change(all) ?? all);
};
const approvals = (all: Line[]) => all.filter(({ type }) => type === 'LotScorerApproved');
/** The first: what is wrong with it is said before any other. */
const approval = (change: (data: Line['data']) => void) =>
  events((all) => {
    change(approvals(all)[0].data);
    return undefined;
  });

/** Draws without a clock: the next of a linear congruential generator, from 0 to below `most`. */
function drawer(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** Another value in a vector, larger by a part of its own size. */
function bent(vector: string, at: number, by: number): string {
  const bytes = Buffer.from(vector, 'base64');
  const value = bytes.readFloatLE(4 * at);
  bytes.writeFloatLE(value * (1 + by) + by, 4 * at);
  return bytes.toString('base64');
}

describe('a bundle of a workspace', () => {
  it('is found sound by all verifiers, with scorers approved by two, withdrawn and approved again', async () => {
    expect(await verdicts(zip)).toEqual({ codes: ALL(0), says: ALL(0).map(() => 'OK\n') });
    expect(await verifyBundle(zip)).toMatchObject({ code: 0, says: 'OK\n' });
    const kinds = eventsOf(sound).map(({ type }) => type);
    const approved = ['LotScorerRequested', 'LotScorerApproved'];
    expect(kinds.filter((type) => type.startsWith('LotScorer'))).toEqual([
      ...[...approved, 'LotScorerWithdrawn'],
      ...approved,
    ]);
    const [first, second] = approvals(eventsOf(sound)).map(({ data }) => data.proposal.rests_on.length);
    expect([first, second]).toEqual([5, 7]);
  });

  it('holds the lots and returns that approvals rest on, the lot model, and no other lot', () => {
    const kinds = eventsOf(sound).map(({ type }) => type);
    for (const type of ['LotEnrolled', 'LotChecked']) expect(kinds.filter((one) => one === type)).toHaveLength(7);
    const [{ data }] = approvals(eventsOf(sound));
    expect(sound.has(`evidence/${data.proposal.model}/lot-model.safetensors`)).toBe(true);
    const { workspace, models } = JSON.parse(sound.get('decisions.json')!.toString());
    expect([workspace, models]).toEqual([WORKSPACE, [data.proposal.model]]);
  });

  it('holds its decisions to a chain root that was noted earlier', async () => {
    const [, { data }] = eventsOf(sound).filter(({ type }) => type === 'LotScorerApproved');
    expect((await verifyBundle(zip, { continues: data.chain })).code).toBe(0);
    const other = await verifyBundle(zip, { continues: 'a'.repeat(64) });
    expect([other.code, other.says]).toEqual([1, expect.stringContaining('do not continue')]);
  });
});

describe('every verifier finds', () => {
  it('any vector of a lot or a return that was changed, by one part in a thousand too', async () => {
    const draw = drawer(41);
    for (const type of ['LotEnrolled', 'LotChecked']) {
      const says = await refusals(
        events((all) => {
          const of = all.filter((one) => one.type === type);
          const { stones } = of[draw(of.length)].data;
          const stone = stones[draw(stones.length)];
          stone.vector = bent(stone.vector, draw(96), 0.001);
        }),
      );
      for (const said of says) expect(said).toMatch(/its (scorer|evidence_digest) is not that of its lots/);
    }
  });

  it('other vectors under digests that were made to fit: they give another scorer', async () => {
    const draw = drawer(7);
    for (const type of ['LotEnrolled', 'LotChecked']) {
      const says = await refusals((files) => {
        const all = eventsOf(files);
        const { stones } = all.filter((one) => one.type === type)[draw(5)].data;
        for (const stone of stones.slice(3))
          for (let k = 0; k < 40; k++) stone.vector = bent(stone.vector, draw(96), 0.2);
        putLotEvents(files, all);
        refitDigests(files);
      });
      for (const said of says) expect(said).toMatch(/it has another (map|bar) than its lots give/);
    }
  });

  it.each<[string, string | RegExp, (files: Files) => void]>([
    [
      'a bar that was moved, all digests fitting',
      'another bar',
      (files) => {
        approval(({ scorer }) => Object.assign(scorer.bar, { at: scorer.bar.at + 0.5 }))(files);
        refitDigests(files);
      },
    ],
    [
      'an axis of the map that was turned, all digests fitting',
      'another map',
      (files) => {
        approval(({ scorer }) => {
          const bytes = Buffer.from(scorer.map[3], 'base64');
          for (let at = 0; at < 96; at++) bytes.writeFloatLE(bytes.readFloatLE(4 * at) * 1.01, 4 * at);
          scorer.map[3] = bytes.toString('base64');
        })(files);
        refitDigests(files);
      },
    ],
    [
      'a lot that is missing',
      /has not, before it, "lot_/,
      events((all) => all.filter(({ type }, i) => type !== 'LotEnrolled' || i < 4)),
    ],
    [
      'a return that is missing',
      /has not, before it, "chk_/,
      events((all) => all.filter((one) => one !== all.find(({ type }) => type === 'LotChecked'))),
    ],
    [
      'a lot of nobody’s approval',
      'no approval rests on',
      events((all) => {
        const [lot] = all;
        const lot_id = 'lot_00000000000000000000000000000000';
        const stream = `lot-${WORKSPACE.id}-${lot_id}`;
        return [...all, { ...lot, id: all[0].id.replace(/^./, 'f'), stream, data: { ...lot.data, lot_id } }];
      }),
    ],
    [
      'a withdrawal that was left out',
      /its decision 2 is not that of|its decision 3 is not/,
      events((all) => all.filter(({ type }) => type !== 'LotScorerWithdrawn')),
    ],
    [
      'a decision that was left out before an approval',
      'decisions is 2, before it there are 1',
      events((all) =>
        all
          .filter(({ type }) => type !== 'LotScorerWithdrawn')
          .map((one) =>
            one.stream.startsWith('lotscorer-') && one.revision > 2 ? { ...one, revision: one.revision - 1 } : one,
          ),
      ),
    ],
    [
      'an approval by a second operator that no first one asked for',
      'did not request it',
      approval((data) => Object.assign(data, { requested_by: 'carla' })),
    ],
    [
      'fewer members than its lots have',
      'its lots have 53',
      approval(({ proposal }) => Object.assign(proposal, { members: 52 })),
    ],
    [
      'lots in another order than they were fitted in',
      'its scorer is not that of its lots',
      approval(({ proposal }) => void proposal.rests_on.reverse()),
    ],
  ])('%s', async (_name, says, change) => {
    for (const said of await refusals(change)) expect(said).toMatch(says);
  });

  it('an operator’s name that was changed, where the chain was not made to fit', async () => {
    const says = await refusals((files) => {
      for (const path of ['events.ndjson', 'decisions.json']) {
        const text = files.get(path)!.toString();
        files.set(path, Buffer.from(text.replace(/"operator":( ?)"ben"/, '"operator":$1"eve"')));
      }
      refit(files);
    });
    for (const said of says) expect(said).toMatch(/chain/);
  });

  it('another lot model', async () => {
    const says = await refusals((files) => {
      const path = [...files.keys()].find((one) => one.endsWith('.safetensors'))!;
      const bytes = files.get(path)!;
      bytes[bytes.length - 2] ^= 1;
      refit(files);
    });
    for (const said of says) expect(said).toContain('is not the model with this digest');
  });
});
