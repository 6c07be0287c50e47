import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shippedEntry } from '#science/calibration/asset';
import { simdCompute } from '#science/compute/cpu-engines';
import { onReferenceAxis } from '#science/spectra/compare';
import type { Sampling } from '#science/spectra/sampling';
import { readScanFile } from '#science/spectra/scan-file';
import { prepareSide } from '#science/spectra/scan-set';
import { sharedScans } from '#science/spectra/shared-scans';
import { actionReasons, adviceOf } from './action.js';
import { encodeSides, fusedScore, placeModel } from './encoder.js';
import { readModelFolder } from './folder.js';
import { modelIn, shippedModelFolder, shippedModelFolders } from './shipped.js';
import { examineSide, judge } from './verdict.js';

let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(root, 'package.json'))) root = dirname(root);
const data = join(process.env.MVS_SHARED_DATA ?? join(root, '../shared/data'), 'opus');
/** Whole-stone scans of two real diamonds, each with and without compensation of the air's water lines; 2 cm^-1. */
const SCANS = ['FN7112', 'FN7114'].flatMap((stone) =>
  ['no', 'with'].map((air) =>
    join(data, `co2-diamonds__${stone}-diamond-500scans-up_to_4000cm-${air}_atm_comp-2cm-1.0`),
  ),
);

describe('two real diamonds', () => {
  (SCANS.every(existsSync) ? it : it.skip)(
    'are the same with and without the water of the air, once narrow lines no longer alias: the published matrix',
    async () => {
      const model = modelIn(shippedModelFolders().at(-1)!);
      const placed = await placeModel(model, simdCompute());
      const scans = SCANS.map((file) => readScanFile(file, new Uint8Array(readFileSync(file))).scan);
      const matrix = async (sampling: Sampling) => {
        const { spectra } = prepareSide({ side: 'rough', scans, references: [] }, sampling);
        const vectors = await encodeSides(
          placed,
          spectra,
          scans.map(() => 1),
        );
        const pairs = scans.flatMap((_, i) => scans.slice(i + 1).map((_, k) => [i, i + 1 + k]));
        return pairs.map(([i, k]) => Number(fusedScore(vectors[i], vectors[k]).toFixed(2)));
      };
      // Same stone: first and last. Different stones of one setting: the second and the second last.
      expect(await matrix('bridged')).toEqual([0.66, 0.91, 0.58, 0.57, 0.95, 0.58]);
      expect(await matrix('masked')).toEqual([0.97, 0.93, 0.93, 0.86, 0.94, 0.91]);
      placed.release();
    },
  );
});

/** Soils, polymers, a background: absorbance scans of other things. */
const OTHERS = [
  'opus/brukeropus__file.0',
  'opus/openspecy-cran__ftir_ps.0',
  'opus/opusreader2__617262_1TP_C-1_A5.0',
  'opus/opusreader2__629266_1TP_A-1_C1.0',
  'opus/opusreader2__BF_lo_01_soil_cal.1',
  'opus/opusreader2__issue81_A1.1.0',
  'opus/opusreader2__issue94_RT_01_1_23-02-21_13-23-54.0',
  'text/bgmon__reference.tsv',
  'text/ftirsr__AS-01_8_24_16_.0.csv',
  'text/jasco__ftir_test.csv',
  'text/olivine__Kiki_init_Ea.CSV',
  'text/openspecy-cran__ftir_pva_without_header.csv',
  'text/tcnf-dpt__Amostra_TCNF_Paul_n.1.1.dpt',
].map((file) => join(data, '..', file));
const DIAMONDS = [
  'opus/co2-diamonds__FN7114-diamond-500scans-up_to_4000cm-no_atm_comp-2cm-1.0',
  'text/co2-diamonds__FN7112_map_truncated_version0001.CSV',
  'text/co2-diamonds__FN7114_map_truncated_version0135.CSV',
  'text/co2-diamonds__IIa_map_HPHT_2_spectra0001.CSV',
].map((file) => join(data, '..', file));

describe('real scans', () => {
  const examine = (file: string) => () => {
    const { scan } = readScanFile(file, new Uint8Array(readFileSync(file)));
    const model = modelIn(shippedModelFolders()[0]);
    return examineSide(prepareSide({ side: 'rough', scans: [scan], references: [] }, model.input.sampling), model);
  };
  ([...OTHERS, ...DIAMONDS].every(existsSync) ? it : it.skip)(
    'of no diamond are refused as such, and no diamond is',
    () => {
      for (const file of OTHERS) expect(examine(file)).toThrow(expect.objectContaining({ kind: 'not_diamond' }));
      for (const file of DIAMONDS) expect(examine(file)()).toMatchObject({ count: 1 });
    },
  );

  const TEXTS = SCANS.map((file) => file.replace('/opus/', '/text/').replace(/0$/, '0.dpt'));
  ([...SCANS, ...TEXTS].every(existsSync) ? it : it.skip)(
    'are found again in their own text exports, and in no other scan',
    () => {
      const onAxis = (file: string) => onReferenceAxis(readScanFile(file, new Uint8Array(readFileSync(file))).scan);
      const [opus, texts] = [SCANS.map(onAxis), TEXTS.map(onAxis)];
      expect(opus.map((scan) => texts.map((text) => sharedScans([scan], [text])))).toEqual([
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
      ]);
      expect(sharedScans(opus, texts)).toBe(4);
    },
  );

  (SCANS.every(existsSync) ? it : it.skip)(
    'are never accepted for each other by the threshold that came with the model: one scan to 4000 cm^-1 is reviewed',
    async () => {
      const { model, asset } = readModelFolder(shippedModelFolder());
      const placed = await placeModel(model, simdCompute());
      const entry = shippedEntry(asset, 0.98);
      const sides = SCANS.map((file) => {
        const { scan } = readScanFile(file, new Uint8Array(readFileSync(file)));
        const prepared = prepareSide({ side: 'rough', scans: [scan], references: [] }, model.input.sampling);
        return { ...examineSide(prepared, model), spectra: prepared.spectra };
      });
      const actions = new Set<string>();
      for (const [i, rough] of sides.entries())
        for (const polish of i < 2 ? sides.slice(2) : sides.slice(0, 2)) {
          const [a] = await encodeSides(placed, rough.spectra, [1]);
          const [b] = await encodeSides(placed, polish.spectra, [1]);
          const claim = { rough: { ...rough, vectors: a }, polish: { ...polish, vectors: b }, entry };
          const result = judge({ ...claim, asset, model });
          const reasons = actionReasons({ ...claim, result, sharedScans: 0 });
          const { action } = adviceOf(result, 0, reasons);
          if (result.verdict === 'MATCH')
            expect(reasons.slice(0, 2)).toEqual(['too_few_rough_scans', 'insufficient_coverage']);
          actions.add(action);
        }
      expect([...actions]).not.toContain('accept');
      placed.release();
    },
  );
});
