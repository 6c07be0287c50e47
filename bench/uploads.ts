/** Large uploads: how long they take, and what they do to the event loop and to memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POPULATIONS, simulateStone } from '#simulator';
import { zipOf } from '../apps/server/test/zip.js';
import { startService } from './load.js';

const POINTS = 5_000;
const SCANS = 64;
const ZIP_BYTES = 30 * 2 ** 20;
const REPEATS = 12;

/** A simulated scan, interpolated to an axis of 5,000 points with fresh last decimals, as two-column text. */
function fileOf(stone: number): string {
  const [{ wavenumbers, absorbance }] = simulateStone(POPULATIONS.calibration, 9, stone, { roughScans: 1 }).rough;
  const last = wavenumbers.length - 1;
  return Array.from({ length: POINTS }, (_, i) => {
    const at = (i * last) / POINTS;
    const low = Math.floor(at);
    const mix = (values: Float64Array) => values[low] + (at - low) * (values[low + 1] - values[low]);
    const noise = (((i * 7919 + stone * 104729) % 1000) - 500) * 6e-7;
    return `${mix(wavenumbers).toFixed(6)},${(mix(absorbance) + noise).toFixed(9)}`;
  }).join('\n');
}

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-uploads-'));
  const service = await startService(directory);
  try {
    const files = Array.from({ length: SCANS }, (_, stone) => fileOf(stone));
    const form = () => {
      const body = new FormData();
      for (const [i, text] of files.entries()) body.append('rough_files', new Blob([text]), `S1_rough_${i}.csv`);
      body.append('polish_files', new Blob([files[0]]), 'S1_polish_1.csv');
      return body;
    };
    const many = Math.min(256, Math.ceil(ZIP_BYTES / files[0].length));
    const entries = Array.from({ length: many }, (_, i) => ({ name: `S1_rough_${i}.csv`, data: files[i % SCANS] }));
    const zip = await zipOf(entries);
    const zipped = () => {
      const body = new FormData();
      body.append('rough_files', new Blob([new Uint8Array(zip)]), 'rough.zip');
      body.append('polish_files', new Blob([files[0]]), 'S1_polish_1.csv');
      return body;
    };
    const unpacked = (many * files[0].length) / 2 ** 20;
    const bodies: [string, () => FormData][] = [
      [`${SCANS} files of ${POINTS} points (${((SCANS * files[0].length) / 2 ** 20).toFixed(1)} MiB)`, form],
      [
        `a zip of ${many} files (${unpacked.toFixed(0)} MiB unpacked, ${(zip.length / 2 ** 20).toFixed(1)} packed)`,
        zipped,
      ],
    ];
    console.log('| upload | status | ms | loop delay p99, most ms | RSS MiB after |\n|---|---:|---:|---:|---:|');
    for (const [name, body] of bodies) {
      await service.vitals?.();
      const took: number[] = [];
      let status = 0;
      for (let n = 0; n < REPEATS; n++) {
        const began = performance.now();
        const answer = await fetch(`${service.bases[0]}/api/v1/verify-match`, {
          method: 'POST',
          headers: { 'x-api-key': service.key },
          body: body(),
        });
        const text = await answer.text();
        if (answer.status !== 200) console.error(text);
        status = answer.status;
        took.push(performance.now() - began);
      }
      const { loopP99, loopMax, rssMiB } = await service.vitals!();
      const ms = took.sort((a, b) => a - b)[REPEATS >> 1];
      console.log(
        `| ${name} | ${status} | ${ms.toFixed(0)} | ${loopP99.toFixed(1)}, ${loopMax.toFixed(1)} | ${rssMiB.toFixed(0)} |`,
      );
    }
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
