/** Share of a spectrum that the stored vectors give away: the figure of docs/concepts/threat-model.md. */
import { Matrix, solve } from 'ml-matrix';
import { REFERENCE_FIRST, REFERENCE_LAST, REFERENCE_POINTS } from '#science/spectra/axis';
import { prepareSide, type Scan } from '#science/spectra/scan-set';
import { POPULATIONS, simulateStone } from '#simulator';
import { Matcher } from '../apps/cli/matcher.js';

const SEED = 4711;
const KNOWN = 99;
const UNSEEN = 1000;
const DRAWS = 2000;
const PENALTIES = [1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100];
/** The model sees nothing above (cm^-1). */
const LAST = 4000;

export async function run(): Promise<void> {
  const matcher = await Matcher.open();
  console.log(
    `${KNOWN} known pairs, ${UNSEEN} other stones, seed ${SEED}, polish sides of one scan, model ${matcher.model.digest.slice(0, 16)}\n`,
  );
  for (const name of ['calibration', 'client-a', 'client-b', 'client-c'] as const) {
    const vectors: number[][] = [];
    const spectra: number[][] = [];
    for (let stone = 0; stone < KNOWN + UNSEEN; stone++) {
      const scans: Scan[] = simulateStone(POPULATIONS[name], SEED, stone).polish.map(ascending);
      const set = { side: 'polish' as const, scans, references: [] };
      spectra.push([...prepareSide(set, matcher.model.input.sampling).spectra.subarray(0, REFERENCE_POINTS)]);
      vectors.push((await matcher.measure(set)).vectors.flatMap((vector) => [...vector]));
    }
    const print = (what: string, of: number[][]) => {
      const recovered = recover(vectors, of);
      const interval = resampled(recovered).map((x) => x.toFixed(2));
      console.log(
        `${name}, ${what}: ${share(recovered).toFixed(2)} of the variance about the known mean (95% ${interval.join(' to ')})`,
      );
    };
    print('absorbance as measured', spectra);
    print(`absorbance per path, up to ${LAST} cm^-1`, spectra.map(perPath));
  }
  await matcher.close();
}

const wavenumber = (i: number) => REFERENCE_FIRST + (i * (REFERENCE_LAST - REFERENCE_FIRST)) / (REFERENCE_POINTS - 1);
const ALL = Array.from({ length: REFERENCE_POINTS }, (_, i) => i);
const between = (from: number, to: number) => ALL.filter((i) => wavenumber(i) >= from && wavenumber(i) <= to);
const SEEN = between(REFERENCE_FIRST, LAST);
const LEVEL = between(4600, 4800);
const LATTICE = [...between(1700, 2290), ...between(2400, 2670)];

/** Above the level at 4700 cm^-1, over the mean of the lattice's bands. */
function perPath(spectrum: number[]): number[] {
  const mean = (points: number[]) => points.reduce((sum, i) => sum + spectrum[i], 0) / points.length;
  const level = mean(LEVEL);
  const path = mean(LATTICE) - level;
  return SEEN.map((i) => (spectrum[i] - level) / path);
}

const ascending = ({ wavenumbers, absorbance }: Scan): Scan =>
  wavenumbers[0] < wavenumbers[1]
    ? { wavenumbers, absorbance }
    : { wavenumbers: wavenumbers.toReversed(), absorbance: absorbance.toReversed() };

/** Squared error and squared deviation from the mean, by unseen stone. */
type Recovered = { missed: number; deviation: number }[];

/** Ridge regression of spectra on vectors; its penalty is chosen by leaving one known pair out at a time. */
function recover(vectors: number[][], spectra: number[][]): Recovered {
  const centred = (rows: number[][]) => {
    const mean = new Matrix(rows.slice(0, KNOWN)).mean('column');
    return new Matrix(rows).subRowVector(mean);
  };
  const [x, y] = [centred(vectors), centred(spectra)];
  const part = (of: Matrix, from: number, to: number) => of.subMatrix(from, to - 1, 0, of.columns - 1);
  const [known, truth] = [part(x, 0, KNOWN), part(y, 0, KNOWN)];
  const gram = known.mmul(known.transpose());
  const scale = gram.trace() / KNOWN;
  const eye = Matrix.eye(KNOWN);
  const leftOut = (penalty: number) => {
    const inverse = solve(Matrix.add(gram, Matrix.mul(eye, penalty * scale)), eye);
    const weights = inverse.mmul(truth);
    // Of ridge regression, the error at a pair left out is its weight over the inverse's diagonal.
    return weights
      .to2DArray()
      .reduce((sum, row, i) => sum + row.reduce((s, w) => s + (w / inverse.get(i, i)) ** 2, 0), 0);
  };
  const penalty = PENALTIES.reduce((best, one) => (leftOut(one) < leftOut(best) ? one : best));
  const weights = solve(Matrix.add(gram, Matrix.mul(eye, penalty * scale)), truth);
  const unseen = part(y, KNOWN, KNOWN + UNSEEN);
  const guess = part(x, KNOWN, KNOWN + UNSEEN)
    .mmul(known.transpose())
    .mmul(weights);
  const squares = (row: number[]) => row.reduce((sum, value) => sum + value * value, 0);
  return Array.from({ length: UNSEEN }, (_, i) => ({
    missed: squares(guess.getRow(i).map((value, j) => value - unseen.get(i, j))),
    deviation: squares(unseen.getRow(i)),
  }));
}

const share = (of: Recovered): number =>
  1 - of.reduce((sum, { missed }) => sum + missed, 0) / of.reduce((sum, { deviation }) => sum + deviation, 0);

/** 95% interval over draws of stones. */
function resampled(of: Recovered): [number, number] {
  let state = SEED;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const shares = Array.from({ length: DRAWS }, () => share(of.map(() => of[Math.floor(next() * of.length)]))).sort(
    (a, b) => a - b,
  );
  return [shares[Math.floor(0.025 * DRAWS)], shares[Math.floor(0.975 * DRAWS)]];
}
