import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedLotModelFolder } from '#science/lots/shipped';
import { loadModel } from '#science/matching/model';
import { modelFolderNamed, modelIn, shippedModel } from '#science/matching/shipped';
import { mvs as runMvs } from '../../apps/cli/test/mvs.js';
import { planDigest, trainingPlan } from '../training/index.js';

const mvs = (...args: string[]) => runMvs(args);

describe('mvs train --pairs', () => {
  let folder: string;
  const at = (...parts: string[]) => join(folder, ...parts);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-train-'));
    const population = ['--population', 'client-b', '--seed', '41', '--rough', '2'];
    await mvs('simulate', '--out', at('few'), '--stones', '12', ...population);
    await mvs('simulate', '--out', at('enough'), '--stones', '104', ...population);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('refuses fewer than 100 stones and says why', async () => {
    const { code, error } = await mvs('train', '--pairs', at('few'), '--out', at('none'));
    expect(code).toBe(2);
    expect(error).toMatch(/holds 12 usable pairs of stones: .* fewer than 100 /);
  });

  it('tries the ways from the shipped model, prints the table, and keeps the best on held-out stones', async () => {
    const options = ['--pairs', at('enough'), '--start', 'shipped', '--epochs', '1', '--out', at('own')];
    const { code, out, error } = await mvs('train', ...options);
    expect(code).toBe(0);
    expect(error).toMatch(/tuned, epoch 1: loss [\d.]+, held-out accept [\d.]+% at 0.98/);
    expect(out).toMatch(/Held out 26 of 104 stones/);
    for (const way of ['as it is', 'trained further', 'closed form folded in'])
      expect(out).toMatch(new RegExp(`${way} +[\\d.]+% +[\\d.]+% +[\\d.]+% +[\\d.]+%`));
    expect(out).not.toContain('from scratch');
    expect(out).toMatch(/^Next:( collect more pairs .*)?$/m);
    const card = JSON.parse(await readFile(at('own', 'card.json'), 'utf8'));
    const kept = loadModel(await readFile(at('own', 'model.safetensors')));
    expect(card.digest).toBe(kept.digest);
    expect(card.candidates.map(({ way }: { way: string }) => way)).toEqual(['shipped', 'tuned', 'folded']);
    expect(card.own_pairs.way === 'shipped').toBe(kept.digest === shippedModel().digest);
    expect(await readFile(at('own', 'loss.svg'), 'utf8')).toMatch(/^<svg/);
    expect(await readdir(at('own'))).not.toContain('checkpoint');
  });

  it('is used by verify and evaluate where they are given its folder', async () => {
    const without = await mvs('evaluate', at('few'), '--model', at('own'), '--json');
    expect([without.code, without.error, JSON.parse(without.out).pairs]).toEqual([0, '', 12]);
    expect(
      (await mvs('calibrate', '--model', at('own'), '--stones', '60', '--held-out', '40', '--worlds', '1')).code,
    ).toBe(0);
    const { code, out } = await mvs('evaluate', at('few'), '--model', at('own'), '--json');
    expect([code, JSON.parse(out).pairs]).toEqual([0, 12]);
    expect((await mvs('evaluate', at('few'), '--model', at('few'))).code).toBe(3);
    const [rough, polish] = ['rough', 'polish'].map((side) => at('few', `CLB41N3_${side}_1.csv`));
    const verified = await mvs('verify', '--rough', rough, '--polish', polish, '--model', at('own'), '--json');
    const asset = JSON.parse(await readFile(at('own', 'calibration.json'), 'utf8'));
    expect(asset.rungs.map(({ threshold }: { threshold: number }) => threshold)).toContain(
      JSON.parse(verified.out).threshold,
    );
    const seen = await mvs('inspect', rough, '--model', at('own'));
    expect(seen.out).toContain(`${asset.model_digest.slice(0, 16)} sees the bands of a stone`);
  });

  it.each([
    ['--from without pairs', ['--from', 'shipped']],
    ['a folder that holds no model', ['--pairs', 'enough', '--from', 'few']],
    ['a number that is none', ['--stones', 'many']],
  ])('knows wrong usage: %s', async (_, options) => {
    const paths = options.map((option) => (['few', 'enough'].includes(option) ? at(option) : option));
    expect((await mvs('train', ...paths)).code).toBe(3);
  });
});

describe('mvs train --again', () => {
  let folder: string;
  const cardIn = async (of: string) => JSON.parse(await readFile(join(of, 'card.json'), 'utf8'));
  const from = modelIn(modelFolderNamed('match-3'));
  // The recipe of match-4 on two worlds of its 448, once in place of three times.
  const plan = trainingPlan('match-4', 128, 1, 4, from);
  const asked = async (name: string, card: object) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'card.json'), JSON.stringify(card));
    return join(folder, name);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-again-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('trains as the card says, with the same bits each time, and says if the weights are others', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const other = await mvs('train', '--again', await asked('unknown', { plan, digest: from.digest }), '--out', first);
    expect([other.code, other.out]).toEqual([1, expect.stringContaining(`are others: ${from.digest}.`)]);
    const { digest } = await cardIn(first);
    expect(loadModel(await readFile(join(first, 'model.safetensors'))).digest).toBe(digest);
    const same = await mvs('train', '--again', first, '--threads', '1', '--out', second);
    expect([same.code, same.out]).toEqual([0, expect.stringContaining('are the same, bit for bit.')]);
    expect((await cardIn(second)).digest).toBe(digest);
  });

  it('knows the recipe of the shipped model as the one that this program trains by', async () => {
    const card = await cardIn(modelFolderNamed('match-4'));
    expect(planDigest(card.plan)).toBe(planDigest(trainingPlan('match-4', 28_672, 3, 4, from)));
  });

  it.each([
    ['a card without a recipe', { digest: 'none' }, 'says of no training'],
    ['a recipe of another program', { plan: { ...plan, simulator: 1 } }, 'trains otherwise'],
    ['a start that is not installed', { plan: { ...plan, from: 'none' } }, 'is not installed'],
  ])('knows wrong usage: %s', async (name, card, why) => {
    const { code, error } = await mvs('train', '--again', await asked(name, card), '--out', join(folder, 'out'));
    expect([code, error]).toEqual([3, expect.stringContaining(why)]);
  });
});

describe('mvs lots train --own', () => {
  it('says before it simulates what is wrong with the parcels, and writes nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mvs-own-'));
    const [history, out] = [join(folder, 'history'), join(folder, 'model')];
    const order = ['--history', '--parcels', '2', '--stones', '12', '--scans', '3'];
    expect((await mvs('lots', 'simulate', '--out', history, ...order)).code).toBe(0);
    expect(await readdir(join(history, 'shaken', 'test-1-1', 'return'))).toContain('M12_3.csv');
    const { code, error } = await mvs('lots', 'train', '--own', history, '--out', out);
    expect([code, error]).toEqual([2, expect.stringMatching(/shaken holds 2 parcels, and bars take 6 /)]);
    expect((await mvs('lots', 'train', '--own', join(folder, 'none'), '--out', out)).code).toBe(3);
    expect((await mvs('lots', 'simulate', '--out', history, '--history', '--substitute', '0.2')).code).toBe(3);
    expect(await readdir(folder)).toEqual(['history']);
    await rm(folder, { recursive: true });
  });

  it('keeps a model of own parcels from being measured on simulated ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mvs-own-'));
    await cp(shippedLotModelFolder(), folder, { recursive: true });
    const file = join(folder, 'usual.json');
    const usual = JSON.parse(await readFile(file, 'utf8'));
    const own = { session_types: ['shaken'], centre: usual.centre, distance_to: usual.distance_to };
    await writeFile(file, JSON.stringify({ ...usual, own }));
    const { code, error } = await mvs('lots', 'report', '--quick', '--model', folder);
    expect([code, error]).toEqual([3, expect.stringContaining(`${folder} holds a model of own parcels: `)]);
    expect(JSON.parse(await readFile(file, 'utf8')).own).toEqual(own);
    await rm(folder, { recursive: true });
  });
});
