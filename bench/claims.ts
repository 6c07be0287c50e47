/** Bodies of distinct claims without the cost of simulating each: the last digits of one ordinate a side count up. */
import { POPULATIONS, simulateStone } from '#simulator';

/** Digits that count up, behind three decimals of an ordinate. */
const DIGITS = 6;

interface Numbered {
  /** Of the simulated stone. */
  stone?: number;
  /** The first claim's number; process and time make claims of two runs distinct too. */
  first?: number;
}

/** 6 + 1 scans of 671 points, 55 kB; both sides are of the stone `reference` where one is given. */
export function claimBody(
  reference?: string,
  { stone = 1, first = (process.pid % 1000) * 1000 }: Numbered = {},
): () => Buffer {
  const axis = native();
  const simulated = simulateStone(POPULATIONS.calibration, 5, stone);
  const marks: string[] = [];
  const side = (scans: { absorbance: Float64Array }[], last: string) => {
    const spectra = scans.map(({ absorbance }) => Array.from(absorbance, (y) => Math.round(y * 1e6) / 1e6));
    // More decimals than any other number has: the text is found again in the body.
    const mark = `${spectra[0][100].toFixed(3)}${last}`;
    spectra[0][100] = Number(mark);
    marks.push(mark);
    return { wavenumbers: axis, spectra, stone_id: reference };
  };
  const claim = { rough: side(simulated.rough, '123456'), polish: side(simulated.polish, '654321') };
  const body = Buffer.from(JSON.stringify(claim));
  const places = marks.map((mark) => body.indexOf(mark) + mark.length - DIGITS);
  let next = first;
  return () => {
    const copy = Buffer.from(body);
    const number = String(next++ % 10 ** DIGITS).padStart(DIGITS, '0');
    for (const place of places) copy.write(number, place);
    return copy;
  };
}

const native = () => {
  const [{ wavenumbers }] = simulateStone(POPULATIONS.calibration, 5, 1).rough;
  return [...wavenumbers].map((x) => Math.round(x * 1e4) / 1e4);
};
