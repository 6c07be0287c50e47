import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedModelFolder } from '#science/matching/shipped';
import { movingAverage, populationNamed, type SimulatedScan, simulateStone } from '#simulator';
import { mvs as runMvs } from './test/mvs.js';

const mvs = (...args: string[]) => runMvs(args);

const asCsv = ({ wavenumbers, absorbance }: SimulatedScan) =>
  Array.from(wavenumbers, (w, i) => `${w.toFixed(4)},${absorbance[i].toFixed(6)}`).join('\n');
const smoothed = movingAverage(9);

describe('mvs', () => {
  let folder: string;
  const at = (...parts: string[]) => join(folder, ...parts);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-cli-'));
    await mkdir(at('pairs'));
    for (let stone = 0; stone < 6; stone++) {
      const { rough, polish } = simulateStone(populationNamed('calibration'), 5, stone);
      for (const [n, scan] of rough.entries())
        await writeFile(at('pairs', `S${stone}_rough_${n + 1}.csv`), asCsv(scan));
      await writeFile(at('pairs', `S${stone}_polish_1.csv`), asCsv(polish[0]));
    }
    const { rough } = simulateStone(populationNamed('calibration'), 5, 0);
    await mkdir(at('smoothed'));
    for (const [n, scan] of rough.entries())
      await writeFile(at('smoothed', `S0_rough_${n + 1}.csv`), asCsv(smoothed(scan)));
    await writeFile(at('broken.csv'), 'no spectrum\n');
    await writeFile(at('flat.csv'), Array.from({ length: 700 }, (_, i) => `${480 + 8 * i},0.5`).join('\n'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const roughOf = (stone: number) => Array.from({ length: 6 }, (_, i) => at('pairs', `S${stone}_rough_${i + 1}.csv`));
  const polishOf = (stone: number) => at('pairs', `S${stone}_polish_1.csv`);

  describe('verify', () => {
    it('says MATCH with exit 0 or NO_MATCH with exit 1, as JSON with every field', async () => {
      const { code, out } = await mvs('verify', '--rough', ...roughOf(1), '--polish', polishOf(2), '--json');
      const result = JSON.parse(out);
      expect(code).toBe(result.verdict === 'MATCH' ? 0 : 1);
      expect(result.verdict).toBe(result.fused_score > result.threshold ? 'MATCH' : 'NO_MATCH');
      expect(result).toMatchObject({
        mode: 'verify-match',
        scorer: 'raw',
        reject_target: 0.98,
        n_rough_scans: 6,
        n_polish_scans: 1,
      });
      expect(result.threshold_source).toMatch(/^shipped-default/);
      expect(result.warnings.length).toBeGreaterThanOrEqual(2);
    });

    it('reads folders, honours the rung and prints for people', async () => {
      const { code, out } = await mvs(
        'verify',
        '--rough',
        at('pairs'),
        '--polish',
        polishOf(0),
        '--reject-target',
        '.94',
      );
      // The folder holds the polish too.
      expect(code).toBe(5);
      expect(out).toMatch(/^(MATCH|NO_MATCH): score/);
      expect(out).toContain('42 rough, 1 polish');
      expect(out).toContain('6 rough / 1 polish stone ids detected — pooling all scans per side');
      expect(out).toMatch(/experimental rung/i);
    });

    it.each<[string, () => string[], RegExp]>([
      [
        'smoothed',
        () => [at('smoothed'), polishOf(0)],
        /rough.*do not match the noise character of directly acquired data/,
      ],
      ['flat', () => [roughOf(0)[0], at('flat.csv')], /polish.*flat \(zero variance\) and carry no identity/],
      ['unreadable', () => [at('broken.csv'), polishOf(0)], /rough.*broken[.]csv.*no parseable spectra/],
      ['both bad', () => [at('broken.csv'), at('flat.csv')], /rough/],
    ])('refuses a %s side with exit 2 and one sentence', async (_, sides, text) => {
      const [rough, polish] = sides();
      const { code, out, error } = await mvs('verify', '--rough', rough, '--polish', polish);
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(error.trim().split('\n')).toHaveLength(1);
      expect(error).toMatch(text);
    });

    it('says review where a scan stands on both sides, and exits with 5 whatever the verdict', async () => {
      const rough = roughOf(3);
      const { code, out, error } = await mvs('verify', '--rough', ...rough, '--polish', rough[0]);
      expect(out).toMatch(/^MATCH: /);
      expect(out).toMatch(/action +review: A scan of the rough is a scan of the polish too/);
      expect([code, error]).toEqual([5, '']);
      // The scan of another stone that is repeated here does not bring the score above the bar.
      const mixed = await mvs('verify', '--rough', ...rough, '--polish', rough[0], polishOf(4), polishOf(5), '--json');
      const { verdict, action, shared_scans } = JSON.parse(mixed.out);
      expect([mixed.code, verdict, action, shared_scans]).toEqual([5, 'NO_MATCH', 'review', 1]);
    });

    it('draws a claim, and writes a page about it that loads nothing', async () => {
      const sides = ['--rough', ...roughOf(3), '--polish', polishOf(3)];
      const { error } = await mvs('verify', ...sides, '--report', at('claim.html'), '--plot', at('claim.svg'));
      expect(error).toContain(`report written to ${at('claim.html')}`);
      const page = await readFile(at('claim.html'), 'utf8');
      for (const text of ['The score', 'To do:', 'two phonons', 'this claim', 'detail residual', 'S3_polish_1.csv'])
        expect(page).toContain(text);
      expect(page).not.toMatch(/<script|src=|href=/);
      expect(await readFile(at('claim.svg'), 'utf8')).toMatch(/^<svg .*rough, 6 scans.*<\/svg>/s);
    });

    it('exits 3 with a sentence on a path that is not there', async () => {
      const calls = [
        ['verify', '--rough', at('none.csv'), '--polish', polishOf(0)],
        ['inspect', roughOf(0)[0], at('none.csv')],
        ['evaluate', at('none')],
      ];
      for (const args of calls)
        expect(await mvs(...args)).toEqual({
          code: 3,
          out: '',
          error: expect.stringMatching(/^mvs: .*none.*: no such file or directory\n$/),
        });
    });

    it.each([[['--reject-target', '0.985']], [['--reject-target', 'high']], [['--colour', 'red']]])(
      'exits 3 on %p',
      async (args) => {
        const { code, out } = await mvs('verify', '--rough', roughOf(0)[0], '--polish', polishOf(0), ...args);
        expect(code).toBe(3);
        expect(out).toBe('');
      },
    );
  });

  describe('a model folder', () => {
    const copied = async (name: string, change: (asset: string, card: Record<string, unknown>) => [string, object]) => {
      await cp(shippedModelFolder(), at(name), { recursive: true });
      const read = (file: string) => readFile(at(name, file), 'utf8');
      const [asset, card] = change(await read('calibration.json'), JSON.parse(await read('card.json')));
      await writeFile(at(name, 'calibration.json'), asset);
      await writeFile(at(name, 'card.json'), JSON.stringify(card));
      return at(name);
    };
    const commands = (model: string) => [
      ['verify', '--rough', roughOf(1)[0], '--polish', polishOf(1), '--model', model],
      ['evaluate', at('pairs'), '--model', model],
    ];

    it('whose ladder is not the one that its card names is refused in one sentence, as by the service', async () => {
      const edited = await copied('edited', (asset, card) => [`${asset} `, card]);
      for (const args of commands(edited)) {
        const { code, out, error } = await mvs(...args);
        expect([code, out]).toEqual([4, '']);
        expect(error).toMatch(/^mvs: .*is not the ladder that card.json names: it was changed since;[^\n]*\n$/);
      }
    });

    it('without a ladder, as a training leaves it, is evaluated by thresholds of the pairs; a lost ladder is missed', async () => {
      const trained = await copied('trained', (asset, card) => [asset, { ...card, ladder_digest: undefined }]);
      await rm(join(trained, 'calibration.json'));
      const { code, out } = await mvs('evaluate', at('pairs'), '--model', trained, '--json');
      const { genuine_confirmed, wrong_accepted, ece } = JSON.parse(out);
      expect([code, ece, wrong_accepted.shipped['0.98'], genuine_confirmed.shipped['0.98']]).toEqual([
        0,
        null,
        null,
        null,
      ]);
      expect(genuine_confirmed.own['0.90']).toBeGreaterThan(0);
      const lost = await copied('lost', (asset, card) => [asset, card]);
      await rm(join(lost, 'calibration.json'));
      const refused = await mvs('evaluate', at('pairs'), '--model', lost);
      expect([refused.code, refused.out]).toEqual([4, '']);
    });

    it('whose card names no ladder is used, and said to be so', async () => {
      const unnamed = await copied('unnamed', (asset, card) => [asset, { ...card, ladder_digest: undefined }]);
      const [verify] = commands(unnamed);
      const { code, out, error } = await mvs(...verify);
      expect([0, 1, 5]).toContain(code);
      expect(out).toMatch(/^(MATCH|NO_MATCH): /);
      expect(error).toMatch(/^mvs: the card of the model in .* names no ladder/);
    });
  });

  it('inspects files, and exits 2 where one is refused', async () => {
    const { code, out } = await mvs('inspect', polishOf(0), at('broken.csv'), '--json', '--plot', at('plot.svg'));
    expect(code).toBe(2);
    const [good, bad] = JSON.parse(out);
    expect(good).toMatchObject({ file: polishOf(0), accepted: true, points: 671 });
    expect(good.first_wavenumber).toBeCloseTo(492.23, 2);
    expect(good.last_wavenumber).toBeCloseTo(5988.79, 2);
    expect(good.min).toBeLessThan(good.max);
    expect(bad).toMatchObject({ file: at('broken.csv'), accepted: false });
    expect(bad.reason).toContain('no parseable spectra');
  });

  it('evaluates a folder of pairs', async () => {
    await writeFile(at('pairs', 'S6_rough_1.csv'), 'no spectrum');
    await writeFile(at('pairs', 'S6_polish_1.csv'), 'no spectrum');
    await writeFile(at('pairs', 'notes.txt'), 'ignored');
    const { code, out, error } = await mvs('evaluate', at('pairs'), '--json', '--plot', at('scores.svg'));
    expect(code).toBe(0);
    expect(error).toMatch(/S6.*refused/);
    const summary = JSON.parse(out);
    expect(Object.keys(summary)).toEqual([
      'pairs',
      'refused',
      'genuine_confirmed',
      'wrong_accepted',
      'ece',
      'best_of_29_rejected',
      'first_days',
      'actions',
    ]);
    const [{ after, measured, reason }] = summary.first_days;
    expect([after, measured.stones, reason, summary.first_days.length]).toEqual([0, 6, null, 1]);
    const { accept, review, reject } = summary.actions.actions;
    expect(accept + review + reject).toBe(6);
    expect(summary).toMatchObject({ pairs: 7, refused: 1, best_of_29_rejected: null });
    const rungs = ['0.99', '0.98', '0.97', '0.96', '0.95', '0.94', '0.93', '0.92', '0.91', '0.90'];
    for (const shares of [
      summary.genuine_confirmed.own,
      summary.genuine_confirmed.shipped,
      summary.wrong_accepted.shipped,
    ]) {
      expect(Object.keys(shares)).toEqual(rungs);
      for (const share of Object.values<number>(shares)) {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
      }
    }
    // Six of seven at most: the refused pair is not confirmed.
    expect(summary.genuine_confirmed.own['0.90']).toBeLessThanOrEqual(6 / 7);

    // The picture shows whose claims, how many, and what the thresholds do to them, with intervals.
    const plot = await readFile(at('scores.svg'), 'utf8');
    expect(plot).toMatch(/^<svg/);
    expect(plot).toContain('7 pairs, 1 refused');
    expect(plot).toContain('genuine: 6 claims');
    expect(plot).toContain('wrong: 30 pairs');
    for (const whose of ['shipped', 'own'])
      expect(plot).toMatch(
        new RegExp(
          `${whose} threshold at 0.98, [0-9.]+: [0-9]+% [(][0-9]+ to [0-9]+[)] of genuine confirmed, [0-9]+% [(]`,
        ),
      );
  });

  it('helps with examples on every command', async () => {
    const whole = await mvs('--help');
    expect(whole.code).toBe(0);
    for (const command of ['verify', 'inspect', 'evaluate', 'calibrate']) {
      expect(whole.out).toContain(command);
      const one = await mvs(command, '--help');
      expect(one.code).toBe(0);
      expect(one.out).toMatch(new RegExp(`Examples?:\\s+mvs ${command}`));
    }
  });

  it.each([[[]], [['frobnicate']], [['verify']]])('exits 3 on the wrong usage %p', async (args) => {
    const { code, error } = await mvs(...args);
    expect(code).toBe(3);
    expect(error).not.toBe('');
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await mvs('--version')).toEqual({ code: 0, out: `${version}\n`, error: '' });
  });

  it.each([
    ['a folder that is not there', ['train', '--pairs', 'nowhere', '--out', 'OUT/model']],
    ['a plot where no folder is', ['inspect', 'OUT/S0_polish_1.csv', '--plot', 'nowhere/x.svg']],
    ['a folder of files where none can be', ['simulate', '--out', '/proc/x/y']],
    ['a file where a folder should be', ['simulate', '--out', 'OUT/S0_polish_1.csv/x']],
  ])('3, and a sentence, for %s', async (_, args) => {
    const { code, error } = await mvs(...args.map((arg) => arg.replace('OUT', at('pairs'))));
    expect([code, error]).toEqual([3, expect.stringMatching(/^mvs: \S+: [a-z][a-z ]+\n$/)]);
  });
});
