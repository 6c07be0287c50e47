import { DOUBT, INK, SERIES } from '#pictures';
import { drawChart, LINES } from '#pictures/chart';
import { type Curve, outOfPicture, shortNames, spectraOption } from '#pictures/spectra';
import { referenceAxis } from '#science/spectra/axis';
import type { ComparedSides } from '#science/spectra/compare';

export interface PlottedScan {
  name: string;
  wavenumbers: ArrayLike<number>;
  absorbance: ArrayLike<number>;
  /** The reason, where it is refused: it is drawn grey. */
  refused?: string;
  /** Gauges out of their bands, in words. */
  marks?: readonly string[];
}

/** Lines of refused scans, which are all grey: lengths of strokes and gaps. */
const REFUSED_DASHES = [
  [1, 0],
  [7, 3],
  [2, 2],
  [9, 3, 2, 3],
  [14, 4],
  [4, 6],
];

/** Characters of a line of the legend. */
const LEGEND_CHARACTERS = 44;
/** Pixels of a line of the legend, and between its entries. */
const LEGEND_LINE = 12;
const LEGEND_GAP = 10;
const PLOT_HEIGHT = 434;

/**
 * Spectra over each other as an SVG picture: absorbance against wavenumber. Scans of one stone share a colour where their
 * names tell the sides; the polish is dashed, a gauge out of its band has a colour of its own, and what is refused is grey,
 * each with dashes of its own.
 */
export function plotSpectra(scans: PlottedScan[]): string {
  const stones: string[] = [];
  const sideOf = ({ name }: PlottedScan) => {
    const [, stone = name, side = ''] = /^(.+)[_.-](rough|polish)/i.exec(name) ?? [];
    return { stone, side: side.toLowerCase() };
  };
  const short = shortNames(scans.map(({ name }) => name));
  const far = outOfPicture(scans.map(({ absorbance: values }) => ({ values })));
  const notes = scans.map(({ refused, marks = [] }, i) => [
    ...(refused === undefined ? [] : [`refused: ${refused}`]),
    ...marks,
    ...(far[i] ? ['goes out of the picture'] : []),
  ]);
  const whole = (scan: PlottedScan) => Object.values(sideOf(scan)).join(' ');
  const colorOf = ({ refused, marks = [] }: PlottedScan, stone: string) => {
    if (refused !== undefined) return INK.axis;
    return marks.length > 0 ? DOUBT.line : SERIES[stones.indexOf(stone) % SERIES.length];
  };
  const refusedBefore = (i: number) => scans.slice(0, i).filter((scan) => scan.refused !== undefined).length;
  const curves = scans.map((scan, i): Curve => {
    const { stone, side } = sideOf(scan);
    if (!stones.includes(stone)) stones.push(stone);
    // Scans of one side look the same and have one entry in the legend, but those with something to say.
    const alike = scans.filter((other, j) => notes[j].length === 0 && whole(other) === whole(scan)).length;
    const grouped = notes[i].length === 0 && alike > 1;
    return {
      name: grouped ? `${whole(scan)}, ${alike} scans` : [short[i] || scan.name, ...notes[i]].join('\n'),
      wavenumbers: scan.wavenumbers,
      values: scan.absorbance,
      color: colorOf(scan, stone),
      dashed: side === 'polish',
      ...(scan.refused !== undefined && { dashes: REFUSED_DASHES[refusedBefore(i) % REFUSED_DASHES.length] }),
    };
  });
  const { names, ...option } = spectraOption({ curves, unit: 'absorbance' });
  const refused = scans.filter((scan) => scan.refused !== undefined).length;
  const count = scans.length === 1 ? '1 scan' : `${scans.length} scans`;
  // A picture has no second page of its legend.
  const legend = names.map((name) => name.split('\n').flatMap(legendLines).length * LEGEND_LINE + LEGEND_GAP);
  return drawChart({
    width: 1200,
    height: Math.max(PLOT_HEIGHT + 142, 60 + legend.reduce((sum, height) => sum + height, 0)),
    title: `${count} as read${refused > 0 ? `, ${refused} of them refused (grey)` : ''}`,
    source: 'mvs inspect',
    option: {
      ...option,
      legend: {
        ...LINES,
        data: names,
        orient: 'vertical',
        top: 30,
        right: 10,
        width: 330,
        itemGap: LEGEND_GAP,
        formatter: (name: string) => name.split('\n').flatMap(legendLines).join('\n'),
      },
      grid: { left: 70, right: 370, top: 66, height: PLOT_HEIGHT },
    },
  });
}

const SIDES = { rough: SERIES[0], polish: SERIES[1] };

/** Both sides of a claim over each other on the reference axis, with where they differ most. */
export function plotSides(compared: ComparedSides, source: string, height = 480): string {
  const wavenumbers = referenceAxis();
  const side = (name: 'rough' | 'polish') =>
    compared[name].map(
      (values): Curve => ({
        name: `${name}, ${compared[name].length === 1 ? '1 scan' : `${compared[name].length} scans`}`,
        ...{ wavenumbers, values, color: SIDES[name], dashed: name === 'polish' },
      }),
    );
  const pointedAt = compared.differences.map(({ range }, i) => ({ name: String(i + 1), range }));
  const { names, ...option } = spectraOption({
    curves: [...side('rough'), ...side('polish')],
    ...{ unit: 'absorbance per two-phonon absorption', pointedAt },
  });
  return drawChart({
    width: 1200,
    height,
    title: 'Both sides on the reference axis; numbered: where they differ most',
    source,
    option: {
      ...option,
      legend: { ...LINES, data: names, top: 8, right: 20 },
      grid: { left: 70, right: 20, top: 62, bottom: 70 },
    },
  });
}

/** A name by both ends, as stones differ at the head and scans at the tail; what is said of it in whole words. */
function legendLines(line: string, i: number): string[] {
  if (line.length <= LEGEND_CHARACTERS) return [line];
  if (i === 0) return [`${line.slice(0, LEGEND_CHARACTERS / 2 - 1)}…${line.slice(-LEGEND_CHARACTERS / 2)}`];
  const lines = [''];
  for (const word of line.split(' ')) {
    const longer = `${lines[lines.length - 1]} ${word}`.trimStart();
    if (longer.length <= LEGEND_CHARACTERS) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
