/** Forms of lots that stand in the contract as examples: files of two columns, named by stone and number. */

/** Short, so that it can be read: real scans cover 492 to 5989 cm^-1. */
const AXIS = Array.from({ length: 12 }, (_, i) => 1600 + 80 * i);

/** Two-phonon bands of diamond with a trace of noise that differs from scan to scan, as the text of a file. */
const scan = (path: number, n: number): string =>
  AXIS.map((x, i) => {
    const bulk = 0.6 / (1 + ((x - 1975) / 80) ** 2) + 0.7 / (1 + ((x - 2160) / 90) ** 2);
    return `${x},${(0.1 + path * bulk + (((i * 37 + n * 101) % 19) - 9) / 4000).toFixed(4)}\n`;
  }).join('');

/** What stands in each; a text may begin with lines that are no data. */
const files = (stone: string, path: number) => [1, 2, 3].map((n) => `${stone}_${n}.csv\n${scan(path, n)}`);

/** An enrolment. */
export const enrolmentExample = () => ({
  name: 'spring',
  session_type: 'table-up',
  operator: 'A. Meier',
  instrument: 'microscope 2',
  files: [...files('A12', 1), ...files('A13', 1.2)],
});

/** A returned lot. */
export const returnExample = () => ({ session_type: 'table-up', operator: 'A. Meier', files: files('P1', 1) });
