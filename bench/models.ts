/** The encoders' share of a claim under each installed model, in turns: 6 + 1 scans from the reference axis to vectors. */
import { simdCompute } from '#science/compute/cpu-engines';
import { encodeSides, type PlacedModel, placeModel } from '#science/matching/encoder';
import { modelIn, shippedModelFolders } from '#science/matching/shipped';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { prepareSide } from '#science/spectra/scan-set';
import { POPULATIONS, simulateStone } from '#simulator';
import { sideOf } from '../lab/measure-stones.js';

const [ROUGH, POLISH] = [6, 1];
/** Claims encoded in one pass: alone, and as many as wait for a thread at 32 clients or more. */
const BATCHES = [1, 4, 16];
const ROUNDS = 9;
const CLAIMS = 160;
/** Other work between two passes of a claim alone: the weights come from memory, as in a service. */
const ELSEWHERE = new Float64Array(4 << 20);

export async function run(): Promise<void> {
  const compute = simdCompute();
  const placed = await Promise.all(shippedModelFolders().map((folder) => placeModel(modelIn(folder), compute)));
  console.log(`Processor time of a claim's encoding, ms: median of ${ROUNDS} rounds in turns (least to most)\n`);
  console.log(`| model | pooled | encoders | ${BATCHES.map((n) => `${n} at once`).join(' | ')} | 1, weights cold |`);
  console.log(`|---|---|---:|${BATCHES.map(() => '---:|').join('')}---:|`);
  const inputs = placed.map(({ model }) => spectraOf(model.input.sampling, Math.max(...BATCHES)));
  const times = placed.map(() => [...BATCHES, 0].map(() => [] as number[]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const [m, one] of placed.entries())
      for (const [b, batch] of [...BATCHES, 0].entries()) {
        const ms = batch > 0 ? await warm(one, inputs[m], batch) : await cold(one, inputs[m]);
        // The first round compiles.
        if (round > 0) times[m][b].push(ms);
      }
  for (const [m, { model, release }] of placed.entries()) {
    const cells = times[m].map((of) => {
      const sorted = of.toSorted((a, b) => a - b);
      return `${sorted[sorted.length >> 1].toFixed(2)} (${sorted[0].toFixed(2)} to ${sorted[sorted.length - 1].toFixed(2)})`;
    });
    console.log(
      `| ${model.digest.slice(0, 16)} | ${model.input.pooling} | ${model.encoders.length} | ${cells.join(' | ')} |`,
    );
    release();
  }
  console.log();
  await compute.close();
}

function spectraOf(sampling: 'bridged' | 'masked', claims: number): Float32Array {
  const scans = ROUGH + POLISH;
  const spectra = new Float32Array(claims * scans * REFERENCE_POINTS);
  for (let i = 0; i < claims; i++) {
    const { rough, polish } = simulateStone(POPULATIONS.calibration, 1, i, { roughScans: ROUGH, polishScans: POLISH });
    const at = i * scans * REFERENCE_POINTS;
    spectra.set(prepareSide(sideOf('rough', rough), sampling).spectra, at);
    spectra.set(prepareSide(sideOf('polish', polish), sampling).spectra, at + ROUGH * REFERENCE_POINTS);
  }
  return spectra;
}

const msOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

async function warm(placed: PlacedModel, spectra: Float32Array, batch: number): Promise<number> {
  const counts = Array.from({ length: batch }, () => [ROUGH, POLISH]).flat();
  const before = process.cpuUsage();
  for (let done = 0; done < CLAIMS; done += batch) await encodeSides(placed, spectra, counts);
  return msOf(process.cpuUsage(before)) / CLAIMS;
}

async function cold(placed: PlacedModel, spectra: Float32Array): Promise<number> {
  let ms = 0;
  for (let done = 0; done < CLAIMS / 8; done++) {
    for (let i = 0; i < ELSEWHERE.length; i += 8) ELSEWHERE[i]++;
    const before = process.cpuUsage();
    await encodeSides(placed, spectra, [ROUGH, POLISH]);
    ms += msOf(process.cpuUsage(before));
  }
  return ms / (CLAIMS / 8);
}
