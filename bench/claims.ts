/** Bodies of distinct claims without the cost of simulating each: the last digits of one ordinate count up. */
import { POPULATIONS, simulateStone } from '#simulator';

const MARK = '0.123456789';

function bodies(of: (absorbance: Float64Array) => ArrayLike<number>, axis: number[], roughScans: number, seed: string) {
  const { rough, polish } = simulateStone(POPULATIONS.calibration, 5, 1, { roughScans });
  const spectraOf = (scans: { absorbance: Float64Array }[]) =>
    scans.map(({ absorbance }) => Array.from(of(absorbance), (y) => Math.round(y * 1e6) / 1e6));
  const claim = {
    rough: { wavenumbers: axis, spectra: spectraOf(rough), stone_id: seed },
    polish: { wavenumbers: axis, spectra: spectraOf(polish), stone_id: seed },
  };
  const value = claim.rough.spectra[0][100];
  claim.rough.spectra[0][100] = Number(MARK);
  const body = Buffer.from(JSON.stringify(claim));
  const at = body.indexOf(MARK);
  const digits = value.toFixed(5);
  // Process and time make claims of two runs distinct too.
  let next = (process.pid % 1000) * 1000;
  return () => {
    const copy = Buffer.from(body);
    copy.write(
      `${digits}${String(next++ % 1_000_000).padStart(6, '0')}`.slice(0, MARK.length).padEnd(MARK.length, '0'),
      at,
    );
    return copy;
  };
}

const native = () => {
  const [{ wavenumbers }] = simulateStone(POPULATIONS.calibration, 5, 1).rough;
  return [...wavenumbers].map((x) => Math.round(x * 1e4) / 1e4);
};

/** 6 + 1 scans of 671 points, 55 kB. */
export const claimBody = (seed: string) => bodies((y) => y, native(), 6, seed);

const FINE = 5_000;

/** 63 + 1 scans of 5,000 points, about 4 MB: what is between the points of a scan is interpolated. */
export function largeBody(seed: string) {
  const axis = native();
  const last = axis.length - 1;
  const fine = (values: ArrayLike<number>) =>
    Float64Array.from({ length: FINE }, (_, i) => {
      const place = (i * last) / (FINE - 1);
      const low = Math.min(last - 1, Math.floor(place));
      return values[low] + (place - low) * (values[low + 1] - values[low]) + (((i * 7919) % 1000) - 500) * 1e-6;
    });
  return bodies(
    fine,
    [...fine(axis)].map((x) => Math.round(x * 1e4) / 1e4),
    63,
    seed,
  );
}
