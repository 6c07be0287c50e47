import fc from 'fast-check';
import { type LadderEntry, REJECT_TARGETS } from '#science/calibration/ladder';
import { prepareSide, type Scan } from '#science/spectra/scan-set';
import { populationNamed, simulateStone } from '#simulator';
import { fitPreprocessing } from '../../../lab/training/fit-preprocessing.js';
import { INPUT, inputPoints } from './input.js';
import { lookAtLattice } from './lattice.js';
import { type Model, modelOf, VECTOR } from './model.js';
import { examineSide, judge, parseRejectTarget, type ScoredSide } from './verdict.js';
import { withStoneIdWarning } from './warnings.js';

const asset = { p_match_5050: { scores: [0.2, 0.9], probabilities: [0.01, 0.99] }, scope: 'simulated stones' };
const model = { encoders: [{ name: 'one' }, { name: 'two' }] } as Parameters<typeof judge>[0]['model'];
const entry: LadderEntry = {
  reject_target: 0.98,
  threshold: 0.6,
  threshold_source: 'population-calibrated: 80 claims, 80 roughs, approved 2026-11-20',
  expected_genuine_accept: 0.9,
};
const carried: LadderEntry = { ...entry, threshold_source: 'shipped-default: calibration' };

/** A unit vector at this cosine from (1, 0). */
const at = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine));
const side = (name: 'rough' | 'polish', changes: Partial<ScoredSide> = {}): ScoredSide => ({
  side: name,
  count: name === 'rough' ? 6 : 1,
  duplicates: 0,
  shortCoverage: false,
  references: ['S1'],
  gauges: { sharpness: 0.05, detailResidual: 0, measuredResidual: 0, locallyPolynomial: 0 },
  vectors: [at(1), at(1)],
  ...changes,
});
const verdict = (rough: Partial<ScoredSide> = {}, polish: Partial<ScoredSide> = {}, at = entry) =>
  judge({ rough: side('rough', rough), polish: side('polish', polish), entry: at, asset, model });
const gauges = (changes: Partial<ScoredSide['gauges']>) => ({ gauges: { ...side('rough').gauges, ...changes } });

describe('judge', () => {
  it('gives every field of the contract but the claim_id', () => {
    expect(verdict({ vectors: [at(1), at(1)] }, { vectors: [at(0.5), at(0.75)] })).toEqual({
      mode: 'verify-match',
      verdict: 'MATCH',
      fused_score: 0.625,
      scorer: 'raw',
      member_scores: { one: 0.5, two: 0.75 },
      member_cosines: { one: 0.5, two: 0.75 },
      threshold: 0.6,
      threshold_source: entry.threshold_source,
      reject_target: 0.98,
      expected_genuine_accept: 0.9,
      p_match_5050: expect.closeTo(0.605, 9),
      n_rough_scans: 6,
      n_polish_scans: 1,
      rough_sharpness: 0.05,
      polish_sharpness: 0.05,
      rough_detail_residual: 0,
      polish_detail_residual: 0,
      warnings: [],
      scope: 'simulated stones; scope 9118d5ea, in full at GET /api/v1.',
    });
  });

  it('needs a score above the threshold, not at it', () => {
    const equal = { ...entry, threshold: 0.5 };
    expect(verdict({}, { vectors: [at(0.5), at(0.5)] }, equal)).toMatchObject({
      fused_score: 0.5,
      verdict: 'NO_MATCH',
    });
  });

  it('warns twice on the shipped default, naming the rung', () => {
    const { warnings } = verdict({}, {}, carried);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/uncalibrated population.*0[.]98/i);
    expect(warnings[1]).toMatch(/unvalidated expected_genuine_accept/i);
  });

  it('marks an experimental rung, and no other', () => {
    for (const reject_target of REJECT_TARGETS) {
      const result = verdict({}, {}, { ...entry, reject_target });
      expect(result.experimental).toBe(reject_target < 0.95 ? true : undefined);
      expect('experimental' in result).toBe(reject_target < 0.95);
      expect(result.warnings.some((one) => /experimental rung/i.test(one))).toBe(reject_target < 0.95);
    }
  });

  it.each<[string, RegExp | string, Partial<ScoredSide>, Partial<ScoredSide>]>([
    ['two rough scans', /^only 2 rough scans.*validated intake protocol/, { count: 2 }, {}],
    ['one rough scan', /^only 1 rough scans.*validated intake protocol/, { count: 1 }, {}],
    ['copies among the rough scans', /duplicate rough scans/i, { duplicates: 1 }, {}],
    [
      'several stones on a side',
      '2 rough / 1 polish stone ids detected — pooling all scans per side',
      { references: ['S1', 'S2'] },
      {},
    ],
    ['a short axis', /insufficient wavenumber coverage.*polish/i, {}, { shortCoverage: true }],
    ['too little detail', /off-manifold input/i, gauges({ detailResidual: -0.24 }), {}],
    ['too much detail', /off-manifold input/i, {}, gauges({ detailResidual: 0.32 })],
    ['smoothing', /locally polynomial input/i, {}, gauges({ locallyPolynomial: 0.06 })],
  ])('warns once of %s', (_, text, rough, polish) => {
    const { warnings } = verdict(rough, polish);
    expect(warnings).toHaveLength(1);
    if (typeof text === 'string') expect(warnings[0]).toBe(text);
    else expect(warnings[0]).toMatch(text);
  });

  it('keeps the order of warnings where other references are given', () => {
    const others = gauges({ detailResidual: -0.24 });
    const { warnings: of } = verdict({ ...others, count: 2, references: ['S1', 'S2'] });
    const { warnings: without } = verdict({ ...others, count: 2 });
    expect(of).toHaveLength(3);
    expect(withStoneIdWarning(without, ['S1', 'S2'], ['S1'])).toEqual(of);
    expect(withStoneIdWarning(of, ['S1'], ['S1'])).toEqual(without);
  });

  it('stays silent at the edges of the bands and on copies among the polish scans', () => {
    expect(verdict(gauges({ detailResidual: -0.23 }), gauges({ detailResidual: 0.31 })).warnings).toEqual([]);
    expect(verdict({ count: 3 }, { duplicates: 1, references: [] }).warnings).toEqual([]);
  });
});

describe('parseRejectTarget', () => {
  it.each([
    [0.98, 0.98],
    ['0.98', 0.98],
    ['.980', 0.98],
    [1 - 0.02, 0.98],
    ['0.9', 0.9],
    [undefined, 0.98],
  ])('reads %p', (value, expected) => {
    expect(parseRejectTarget(value)).toBe(expected);
  });

  it('reads every rung in the forms clients send', () => {
    for (const target of REJECT_TARGETS)
      for (const form of [target, String(target), target.toFixed(2), target.toFixed(3).slice(1), target.toFixed(6)])
        expect(parseRejectTarget(form)).toBe(target);
  });

  it.each([0.985, 1, 0, 0.89, 'high', '', '98', '0.98x', '9.8e-1', null, [0.98], ['0.98'], {}, true, Number.NaN])(
    'refuses %p',
    (value) => {
      expect(() => parseRejectTarget(value)).toThrow(expect.objectContaining({ kind: 'reject_target' }));
      expect(() => parseRejectTarget(value)).toThrow(/^reject_target must be one of.*0[.]98/);
    },
  );

  it('gives a rung or the refusal, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        let found: unknown;
        try {
          found = parseRejectTarget(value);
        } catch (error) {
          expect((error as { kind: string }).kind).toBe('reject_target');
          return;
        }
        expect(REJECT_TARGETS).toContain(found);
      }),
    );
  });
});

describe('examineSide', () => {
  // On the reference axis, ascending, as from the population's instrument.
  const scans: Scan[] = simulateStone(populationNamed('calibration'), 3, 0).rough;
  const prepare = (list: Scan[]) => prepareSide({ side: 'rough', scans: list, references: ['S1'] });
  const unprocessed = prepare(scans);
  const hidden = 4;
  const modelFor: Model = modelOf('test', [
    {
      name: 'first',
      preprocessing: fitPreprocessing(1, unprocessed.spectra, unprocessed.count),
      linear: new Float32Array(inputPoints(INPUT) * VECTOR),
      bias: new Float32Array(VECTOR),
      hidden: new Float32Array(inputPoints(INPUT) * hidden),
      hiddenBias: new Float32Array(hidden),
      output: new Float32Array(hidden * VECTOR),
    },
  ]);

  it('lets an unprocessed side pass with its gauges', () => {
    const examined = examineSide(unprocessed, modelFor);
    expect(examined).toMatchObject({ side: 'rough', count: 6, references: ['S1'] });
    for (const gauge of Object.values(examined.gauges)) expect(Number.isFinite(gauge)).toBe(true);
  });

  const without = (from: number, to: number, list: Scan[]) =>
    list.map(({ wavenumbers, absorbance }) => {
      const kept = (_: number, i: number) => wavenumbers[i] < from || wavenumbers[i] > to;
      return { wavenumbers: wavenumbers.filter(kept), absorbance: absorbance.filter(kept) };
    });

  it('judges the noise of scans with a hole by what is left on either side of it', () => {
    const holed = examineSide(prepare(without(3200, 3400, scans)), modelFor);
    expect(holed.shortCoverage).toBe(true);
    const { gauges } = examineSide(unprocessed, modelFor);
    expect(Math.abs(holed.gauges.detailResidual - gauges.detailResidual)).toBeLessThan(0.1);
    expect(Math.abs(holed.gauges.locallyPolynomial - gauges.locallyPolynomial)).toBeLessThan(0.1);
    expect(holed.gauges.sharpness).toBe(gauges.sharpness);
  });

  it('refuses a running mean by its noise character, with the words of the contract', () => {
    const mean = (y: Float64Array) =>
      y.map((_, i) => {
        const near = y.subarray(Math.max(i - 4, 0), i + 5);
        return near.reduce((sum, one) => sum + one, 0) / near.length;
      });
    const smoothed = scans.map((scan) => ({ ...scan, absorbance: mean(scan.absorbance) }));
    const examine = () => examineSide(prepare(smoothed), modelFor);
    expect(examine).toThrow(expect.objectContaining({ kind: 'noise_character', side: 'rough' }));
    expect(() => examineSide(prepare(without(3200, 3400, smoothed)), modelFor)).toThrow(
      expect.objectContaining({ kind: 'noise_character' }),
    );
    expect(examine).toThrow(/^rough: .*do not match the noise character of directly acquired data/);
  });

  it('refuses scans in which the encoders see nothing', () => {
    const blank = { ...unprocessed, spectra: new Float32Array(unprocessed.spectra.length).fill(0.5) };
    const examine = () => examineSide(blank, modelFor);
    expect(examine).toThrow(expect.objectContaining({ kind: 'flat', side: 'rough' }));
    expect(examine).toThrow(/flat \(zero variance\) and carry no identity/);
  });

  describe('of what is no diamond', () => {
    const bump = (w: number, at: number, width: number) => Math.exp(-(((w - at) / width) ** 2) / 2);
    const noise = (w: number, k: number) => 3e-4 * Math.sin(1.7 * w * w + k);
    const soil = (w: number, k: number) =>
      0.4 + bump(w, 1030, 90) + 0.3 * bump(w, 1640, 60) + 0.8 * bump(w, 3400, 250) + noise(w, k);
    const scansOf = (curve: (w: number, k: number) => number, count: number): Scan[] =>
      Array.from({ length: count }, (_, k) => {
        const { wavenumbers } = scans[0];
        return { wavenumbers, absorbance: wavenumbers.map((w) => curve(w, k)), file: `S_${k}.csv` };
      });
    const examine = (list: Scan[]) => () => examineSide(prepare(list), modelFor);
    const changed = (change: (y: number, w: number) => number) =>
      scans.map((scan) => ({ ...scan, absorbance: scan.absorbance.map((y, i) => change(y, scan.wavenumbers[i])) }));

    it('says that the lattice is absent, and names the file', () => {
      expect(examine(scansOf(soil, 3))).toThrow(expect.objectContaining({ kind: 'not_diamond', side: 'rough' }));
      expect(examine(scansOf(soil, 3))).toThrow(
        /^rough: S_\d.csv: scan\(s\) show no diamond: the absorption of its lattice \(1680-2300, 2400-2680 cm\^-1\) is absent; /,
      );
    });

    it('takes a side of which one scan shows the lattice', () => {
      const others = scansOf(soil, 2);
      expect(examineSide(prepare([...others, scans[0]]), modelFor).count).toBe(3);
    });

    it('calls a scan of nothing but noise flat', () => {
      const nothing = examine(scansOf((w, k) => 0.2 + noise(w, k), 3));
      expect(nothing).toThrow(expect.objectContaining({ kind: 'flat' }));
    });

    it('refuses scans whose bands are wholly saturated or missing, and says what to send instead', () => {
      const cause =
        /show no diamond: the absorption of its lattice .* cannot be judged: too much of it is missing or saturated; send/;
      expect(() => examineSide(prepare(without(1650, 2250, scans)), modelFor)).toThrow(cause);
      expect(() => examineSide(prepare(without(2390, 2690, scans)), modelFor)).toThrow(cause);
      const dark = changed((y, w) => (w < 3000 ? Math.max(y, 4 + 0.02 * Math.sin(w * w)) : y));
      expect(examine(dark)).toThrow(cause);
    });

    it('judges a saturated scan by the wings of its bands', () => {
      const thick = changed((y, w) => Math.min(w < 3000 ? 3 * y : y, 3.5));
      const look = lookAtLattice(modelFor.encoders[0].preprocessing, prepare(thick).spectra, 0)!;
      expect([look.diamond, look.saturated > 0.2]).toEqual([true, true]);
    });

    it('says of transmittance that the bands are upside down', () => {
      expect(examine(changed((y) => 10 ** -y))).toThrow(/upside down, as in transmittance; convert/);
    });

    /** Bands of minerals between 1600 and 2700 cm^-1 in transmission: position, width at half height, height of 1 mm. */
    const MINERALS = `
      diopside: 1780,60,0.5 1890,80,0.9 1960,80,1 2060,90,0.8 2130,70,0.5
      forsterite: 1670,60,1 1785,80,0.8 1890,80,0.7 2015,90,0.6
      quartz: 1610,40,1.5 1684,40,1 1793,50,0.9 1870,60,1.2 1995,60,1 2133,60,0.4 2238,60,0.5
      calcite: 1795,30,1 2130,80,0.2 2513,100,1.5 2590,80,0.8
      anhydrite: 2000,70,0.5 2090,90,0.8 2165,90,0.8 2250,80,1 2330,70,0.5
      kaolinite: 1825,60,0.4 1935,80,0.5 2120,120,0.3
      moissanite: 1620,60,1.5 1714,50,1 1900,90,0.25 2030,90,0.3 2150,80,0.35 2300,70,0.25
      corundum: 1500,200,3 1700,200,0.7
      cubic zirconia: 1400,300,3
      glass: 1640,150,2.2 1870,120,1.6 1990,90,0.6 2260,140,0.15
      topaz: 1720,80,0.8 1900,100,1 2070,90,0.9 2160,60,0.6 2320,100,0.7 2480,90,0.2
      beryl: 1740,60,0.7 1830,60,0.9 1960,100,1.2 2090,80,0.6 2290,60,0.4
      polystyrene: 1745,20,0.2 1802,20,0.2 1870,20,0.2 1942,20,0.25`;
    const minerals = [...MINERALS.matchAll(/(\w[\w ]*): (.*)/g)].map(([, name, bands]) => ({
      name,
      bands: bands.split(' ').map((band) => band.split(',').map(Number)),
    }));
    it.each(minerals)('refuses $name, thin and thick', ({ bands }) => {
      for (const path of [0.3, 1, 3])
        expect(
          examine(
            scansOf((w, k) => {
              const lines = bands.reduce(
                (sum, [at, width, height]) => sum + path * height * bump(w, at, width / 2.355),
                0,
              );
              return Math.min(3.5, 0.1 + lines + 3 * path * bump(w, 1000, 120)) + noise(w, k);
            }, 3),
          ),
        ).toThrow(expect.objectContaining({ kind: 'not_diamond' }));
    });
  });
});
