/** JCAMP-DX files for tests, in each of the forms. */

export type Form = 'AFFN' | 'PAC' | 'SQZ' | 'DIF' | 'DIFDUP' | 'PAIRS';

export interface JcampParts {
  form?: Form;
  /** Ordinates as they are written, whole numbers. */
  values: readonly number[];
  first?: number;
  last?: number;
  xFactor?: number;
  yFactor?: number;
  /** Labels besides those that follow from the values, or in their place; undefined leaves one out. */
  labels?: Record<string, string | undefined>;
  perLine?: number;
}

export function jcamp({ form = 'AFFN', values, first = 4000, last = 600, ...more }: JcampParts): string {
  const { xFactor = 1, yFactor = 1e-6, labels = {}, perLine = 10 } = more;
  const count = values.length;
  const x = (i: number) => (first + (i * (last - first)) / (count - 1)) / xFactor;
  const all: Record<string, string | undefined> = {
    TITLE: 'S1',
    'JCAMP-DX': '4.24 $$ a comment',
    'DATA TYPE': 'INFRARED SPECTRUM',
    XUNITS: '1/CM',
    YUNITS: 'ABSORBANCE',
    XFACTOR: String(xFactor),
    YFACTOR: String(yFactor),
    FIRSTX: String(first),
    LASTX: String(last),
    NPOINTS: String(count),
    FIRSTY: String(values[0] * yFactor),
    ...labels,
  };
  const [record, layout] = form === 'PAIRS' ? ['XYPOINTS', '(XY..XY)'] : ['XYDATA', '(X++(Y..Y))'];
  delete all[record];
  all[record] = record in labels ? labels[record] : layout;
  const head = Object.entries(all).flatMap(([label, value]) => (value === undefined ? [] : [`##${label}=${value}`]));
  return [...head, ...rowsOf(form, values, x, perLine), '##END='].join('\r\n');
}

function rowsOf(form: Form, values: readonly number[], x: (i: number) => number, perLine: number): string[] {
  const rows: string[] = [];
  /** The line before ended with a difference: from the first on, all do. */
  let repeats = false;
  for (let at = 0; at < values.length; at += perLine) {
    const own = values.slice(at, at + perLine);
    const abscissa = x(at).toFixed(4);
    if (form === 'PAIRS') rows.push(own.map((value, i) => `${x(at + i)}, ${value}`).join('; '));
    else if (form === 'AFFN') rows.push([abscissa, ...own].join(' '));
    else if (form === 'PAC') rows.push(abscissa + own.map((value) => (value < 0 ? value : `+${value}`)).join(''));
    else if (form === 'SQZ')
      rows.push(abscissa + own.map((value) => lettered(value, '@ABCDEFGHI', 'abcdefghi')).join(''));
    else {
      rows.push(abscissa + differences(own, repeats ? values[at - 1] : undefined, form === 'DIFDUP'));
      repeats ||= own.length > 1;
    }
  }
  const end = values.length - 1;
  if (repeats) rows.push(x(end).toFixed(4) + lettered(values[end], '@ABCDEFGHI', 'abcdefghi'));
  return rows;
}

/** The line's ordinates as differences; but for the first line its first ordinate is the last one of the line before. */
function differences(values: readonly number[], before: number | undefined, repeats: boolean): string {
  const from = before ?? values[0];
  const steps = (before === undefined ? values.slice(1) : values).map(
    (value, i, all) => value - (i === 0 ? from : all[i - 1]),
  );
  let text = lettered(from, '@ABCDEFGHI', 'abcdefghi');
  for (let i = 0; i < steps.length; ) {
    let count = 1;
    while (repeats && steps[i + count] === steps[i]) count++;
    text += lettered(steps[i], '%JKLMNOPQR', 'jklmnopqr');
    if (count > 1) text += 'STUVWXYZs'[Number(String(count)[0]) - 1] + String(count).slice(1);
    i += count;
  }
  return text;
}

function lettered(value: number, positive: string, negative: string): string {
  const digits = String(Math.abs(value));
  return (value < 0 ? negative[Number(digits[0]) - 1] : positive[Number(digits[0])]) + digits.slice(1);
}
