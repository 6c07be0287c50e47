import { simdCompute } from '#science/compute/cpu-engines';
import { placeModel } from '#science/matching/encoder';
import { inventedSpectra } from '#science/matching/test/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { encodeJobs } from '../encode.js';
import { testedModel } from '../test/conformance.js';
import { Encoding } from './encoding.js';

it('encodes jobs of any size to the same bits as alone, and holds nobody up for one of hundreds of scans', async () => {
  const placed = await placeModel(testedModel(), simdCompute());
  const few = inventedSpectra(8, 1);
  const jobOf = (by: string, roughCount: number, shadow = false) => {
    const spectra = new Float32Array((roughCount + 1) * REFERENCE_POINTS);
    for (let at = 0; at < spectra.length; at += few.length) spectra.set(few.subarray(0, spectra.length - at), at);
    for (let row = 0; row <= roughCount; row++) spectra[row * REFERENCE_POINTS + 7] += row / 100;
    return { by, placed, shadow, roughCount, polishCount: 1, spectra };
  };
  const jobs = {
    shadow: jobOf('c', 2, true),
    large: jobOf('a', 250),
    second: jobOf('a', 250),
    small: jobOf('b', 6),
    other: jobOf('b', 40),
  };
  const alone = Object.values(jobs).map((job) => encodeJobs(placed, [{ ...job, spectra: job.spectra.slice() }]));
  const encoding = new Encoding(8);
  const order: string[] = [];
  const together = Object.entries(jobs).map(async ([name, job]) => {
    const sides = await encoding.encode(job);
    order.push(name);
    return sides;
  });
  expect(await Promise.all(together)).toEqual((await Promise.all(alone)).map(([sides]) => sides));
  expect(order).toEqual(['small', 'other', 'large', 'second', 'shadow']);
  for (const { spectra } of Object.values(jobs)) expect(spectra.every((value) => value === 0)).toBe(true);
  placed.release();
});

it('fails the jobs of a turn that fails, and goes on', async () => {
  const [broken, placed] = await Promise.all([1, 2].map(() => placeModel(testedModel(), simdCompute())));
  broken.release();
  const encoding = new Encoding(8);
  const job = { by: '', shadow: false, roughCount: 1, polishCount: 1, spectra: inventedSpectra(2, 1) };
  const [first, second] = await Promise.allSettled([
    encoding.encode({ ...job, placed: broken }),
    encoding.encode({ ...job, spectra: inventedSpectra(2, 2), placed }),
  ]);
  expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  placed.release();
});
