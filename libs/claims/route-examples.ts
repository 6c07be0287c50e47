/** The claim that stands in the contract as an example; a test sends it. */

import { ref } from '#kit/http/swagger';

/** Short, so that it can be read, yet with enough of what distinguishes stones: real requests cover 492 to 5989 cm^-1. */
const AXIS = Array.from({ length: 119 }, (_, i) => 800 + 16 * i);

/** Bands of nitrogen and of diamond at cm^-1, with a trace of noise that differs from scan to scan. */
function absorbances(path: number, scan: number): number[] {
  const bands = [
    [1175, 40, 0.3],
    [1282, 25, 0.5],
    [1370, 12, 0.2],
    [1975, 80, 0.6],
    [2160, 90, 0.7],
    [2500, 110, 0.3],
  ];
  return AXIS.map((x, i) => {
    const bulk = bands.reduce((sum, [at, width, height]) => sum + height / (1 + ((x - at) / width) ** 2), 0);
    const mixed = Math.imul(Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(scan + 3, 0x85ebca6b), 0xc2b2ae35) >>> 0;
    const trace = (mixed / 2 ** 32 - 0.5) / 200;
    return Math.round((0.1 + path * bulk + trace) * 1e4) / 1e4;
  });
}

const exampleClaim = () => ({
  rough: { stone_id: 'AB12', wavenumbers: AXIS, spectra: [0, 1, 2].map((scan) => absorbances(1.2, scan)) },
  polish: { stone_id: 'AB12.1', wavenumbers: AXIS, spectra: [absorbances(0.8, 3)] },
  reject_target: 0.98,
});

const filesOf = ({ wavenumbers, spectra }: { wavenumbers: number[]; spectra: number[][] }): string[] =>
  spectra.map((values) => wavenumbers.map((x, i) => `${x},${values[i]}\n`).join(''));

/** The same claim as files: what stands in each. */
function exampleClaimForm() {
  const { rough, polish, reject_target } = exampleClaim();
  return { rough_files: filesOf(rough), polish_files: filesOf(polish), reject_target };
}

/** The body of a claim, whose two forms are two schemas: no decorator says that. */
export const claimBody = {
  required: true,
  content: {
    'application/json': { schema: ref('Claim'), example: exampleClaim() },
    'multipart/form-data': { schema: ref('ClaimForm'), example: exampleClaimForm() },
  },
};
