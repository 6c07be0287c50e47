import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelFolderNamed, shippedModelFolders } from '#science/matching/shipped';
import { mvs as runMvs } from '../../apps/cli/test/mvs.js';

const mvs = async (...args: string[]) => {
  const said = await runMvs(args);
  // A slow run says how far it is.
  return { ...said, error: said.error.replace(/^mvs: [a-z ]+ \d+\/\d+, \d+ left\n/gm, '') };
};

describe('mvs adapt and mvs evaluate --scorer', () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  const simulate = (name: string, seed: string, stones: string) =>
    mvs(
      'simulate',
      '--population',
      'second-air',
      '--rough',
      '2',
      '--seed',
      seed,
      '--stones',
      stones,
      '--out',
      at(name),
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-adapt-'));
    await mkdir(at('empty'));
    await copyFile(join(shippedModelFolders()[0], 'scorer.json'), at('scorer.json'));
    await simulate('bank', '61', '60');
    await simulate('others', '62', '60');
    await simulate('few', '63', '12');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const shares = async (...args: string[]) => {
    const { code, out, error } = await mvs('evaluate', ...args, '--json');
    expect([code, error]).toEqual([0, '']);
    return JSON.parse(out);
  };

  it('fits a scorer that confirms more of other stones and lets fewer wrong ones through', async () => {
    const made = await mvs('adapt', '--pairs', at('bank'), '--out', at('scorer'));
    expect([made.code, made.error]).toEqual([0, '']);
    expect(made.out).toMatch(/^60 pairs of \d+ stones; \d+ look wrong/);
    expect(made.out).toMatch(/\n0[.]98 +[\d.]+% +[\d.]+%\n/);

    const raw = await shares(at('others'));
    const mapped = await shares(at('others'), '--scorer', at('scorer'));
    expect(mapped.pairs).toBe(60);
    expect(mapped.genuine_confirmed.own['0.98']).toBeGreaterThan(raw.genuine_confirmed.own['0.98']);
    expect(mapped.wrong_accepted.shipped['0.98']).toBeLessThan(raw.wrong_accepted.shipped['0.98']);
    // Of sixty claims it has the curve that comes with the model.
    expect(mapped.ece).toBeLessThan(0.2);
    const [model] = shippedModelFolders();
    expect(await shares(at('others'), '--scorer', at('scorer'), '--model', model)).toEqual(mapped);

    const other = await mvs('evaluate', at('few'), '--scorer', at('scorer'), '--model', shippedModelFolders()[1]);
    expect([other.code, other.out]).toEqual([3, '']);
    expect(other.error).toMatch(/^mvs: .*was made with model [0-9a-f]{16}, not [0-9a-f]{16}: .*--model.*mvs adapt\n$/);
    const bytes = await readFile(at('scorer'));
    await writeFile(at('cut'), bytes.subarray(0, bytes.length - 4));
    const cut = await mvs('evaluate', at('few'), '--scorer', at('cut'));
    expect([cut.code, cut.out]).toEqual([2, '']);
    expect(cut.error).toMatch(
      /^mvs: .*cut is refused: the scorer has tables of another size.*; make it again with mvs adapt\n$/,
    );
  });

  it.each([
    ['broken JSON', 2, /no scorer; make it again with mvs adapt/],
    ['missing', 3, /missing: no such file or directory/],
    ['few', 3, /is a folder: name the file that mvs adapt wrote/],
  ])('refuses a scorer that is none: %s', async (name, wanted, sentence) => {
    if (name === 'broken JSON') await writeFile(at(name), '{"method":');
    const { code, out, error } = await mvs('evaluate', at('few'), '--scorer', at(name));
    expect([code, out]).toEqual([wanted, '']);
    expect(error).toMatch(sentence);
    expect(error).toMatch(/^mvs: [^\n]+\n$/);
  });

  it.each([
    [
      'too few pairs',
      ['few', '--model', 'EARLIER'],
      2,
      /of 12 pairs: too few groups of claims; bring pairs of more stones .* at least 30/,
    ],
    ['a folder without pairs', ['empty'], 2, /the folder holds no pair; name the files <stone>_rough_<n>/],
    ['a folder that is not there', ['nowhere'], 3, /nowhere: no such file or directory/],
    ['an --out where no folder is', ['few', '--out', 'no/scorer'], 3, /no: no such file or directory/],
    ['the ladders of the model as --out', ['few', '--out', 'LADDERS'], 3, /is there and holds no scorer: give --out/],
    ["a copy of a model's ladders as --out", ['few', '--out', 'scorer.json'], 3, /is there and holds no scorer/],
    ['a model without ladders for scorers', ['few', '--model', 'FORMER'], 3, /mvs calibrate --model .* makes one/],
  ])('makes none of %s', async (_, [pairs, ...options], wanted, sentence) => {
    const [model, earlier] = shippedModelFolders();
    const former = modelFolderNamed('match-1');
    const named: Record<string, string> = { LADDERS: join(model, 'scorer.json'), FORMER: former, EARLIER: earlier };
    const paths = options.map((one) => named[one] ?? (one.startsWith('--') ? one : at(one)));
    const out = options.includes('--out') ? [] : ['--out', at('none')];
    const made = await mvs('adapt', '--pairs', at(pairs), ...out, ...paths);
    expect([made.code, made.out]).toEqual([wanted, '']);
    expect(made.error).toMatch(sentence);
    expect(made.error).toMatch(/^mvs: [^\n]+\n$/);
  });
});
