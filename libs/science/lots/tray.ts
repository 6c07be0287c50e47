/** The tray as it lies, as an SVG text: which stones are confirmed, which are not, and which pairs cannot be distinguished. */
import { ASK, BAD, DOUBT, GOOD, INK, inBothSchemes } from '#pictures';
import { escaped } from '#pictures/page';
import { namedClusters, namedStones, type Pair } from './clusters.js';
import { type Outcome, twinned } from './lot.js';

export interface TrayStone {
  /** As its files name it. */
  stone: string;
  /** The member it is confirmed as; null: not confirmed. */
  member: string | null;
  outcome: Outcome;
  /** Score above the bar. */
  margin: number;
}

export interface Tray {
  title: string;
  /** Day of the check. */
  date: string;
  /** The check in one line; null where there is none. */
  verdict: string | null;
  stones: readonly TrayStone[];
  /** Members that no returning stone accounts for. */
  unaccounted: readonly string[];
  /** Pairs of members whose swap is invisible. */
  twins: readonly Pair[];
  /** What decided, in a line; null where the model's scorer did. */
  scorer: string | null;
}

const CELL = { width: 132, height: 84, gap: 10 };
const MARGIN = 24;
const HEAD = 94;
const LINE = 18;
/** A sheet of A4, lying: what is drawn is scaled to it. */
const PAGE = { width: 297, height: 210 };
/** The legend has room. */
const MIN_WIDTH = 720;
/** Widest letters, in pixels: of a title, and of a name in a cell or the verdict. */
const LETTER = { title: 11.5, name: 8.5 };
const NAME = Math.floor((CELL.width - 20) / LETTER.name);
/** Distinct without colour too: by the outline and the word. */
const LOOKS = {
  confirmed: { ...GOOD, dash: '', word: 'confirmed' },
  uncertain: { ...DOUBT, dash: '6 3', word: 'confirmed, has a twin' },
  again: { ...ASK, dash: '8 2 2 2', word: 'scan again' },
  open: { ...BAD, dash: '2 3', word: 'not confirmed' },
} as const;

const short = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

export function drawTray({ title, date, verdict, stones, unaccounted, twins, scorer }: Tray): string {
  const columns = Math.min(10, Math.max(1, Math.ceil(Math.sqrt(stones.length * 1.4))));
  const rows = Math.ceil(stones.length / columns);
  const alike = twinned(twins);
  const lookOf = ({ member, outcome }: TrayStone) =>
    member === null
      ? outcome === 'scan_again'
        ? LOOKS.again
        : LOOKS.open
      : alike.has(member)
        ? LOOKS.uncertain
        : LOOKS.confirmed;
  const width = Math.max(MIN_WIDTH, 2 * MARGIN + columns * (CELL.width + CELL.gap) - CELL.gap);
  const confirmed = stones.filter(({ member }) => member !== null).length;
  const said = wrapped(
    verdict ?? `${confirmed} of ${stones.length} confirmed`,
    Math.floor((width - 2 * MARGIN) / LETTER.name),
  );
  const head = HEAD + (said.length - 1) * LINE;
  const notes = [
    ...(scorer === null ? [] : [scorer]),
    ...(unaccounted.length > 0 ? [`Members that nothing accounts for: ${namedStones(unaccounted)}`] : []),
    ...(twins.length > 0 ? [`Too alike to be distinguished: ${namedClusters(twins)}`] : []),
    '"Not confirmed" is neither "foreign" nor "absent".',
  ].flatMap((note) => wrapped(note, Math.floor((width - 2 * MARGIN) / 6.6)));
  const foot = head + rows * (CELL.height + CELL.gap) + 18;
  const height = foot + notes.length * LINE + 12;
  const text = (x: number, y: number, value: string, more = '') =>
    `<text x="${x}" y="${y}"${more}>${escaped(value)}</text>`;
  const cells = stones.map((stone, i) => {
    const x = MARGIN + (i % columns) * (CELL.width + CELL.gap);
    const y = head + Math.floor(i / columns) * (CELL.height + CELL.gap);
    const { fill, line, dash, word } = lookOf(stone);
    const margin = `${stone.margin >= 0 ? '+' : '−'}${Math.abs(stone.margin).toFixed(1)}`;
    return [
      `<g><title>${escaped(`${stone.stone}: ${word}${stone.member === null ? '' : ` as ${stone.member}`}, margin ${margin}`)}</title>`,
      `<rect x="${x}" y="${y}" width="${CELL.width}" height="${CELL.height}" rx="8" fill="${fill}" stroke="${line}" stroke-width="2"${dash && ` stroke-dasharray="${dash}"`}/>`,
      text(x + 10, y + 22, short(stone.stone, NAME), ' font-weight="600"'),
      text(x + 10, y + 42, stone.member === null ? word : `= ${short(stone.member, NAME - 1)}`, ` fill="${line}"`),
      text(x + 10, y + 64, `margin ${margin}`, ` fill="${INK.muted}" font-size="11"`),
      '</g>',
    ].join('');
  });
  const legend = Object.values(LOOKS).map(({ fill, line, dash, word }, i) => {
    const x = MARGIN + [0, 105, 285, 395][i];
    return `<rect x="${x}" y="${head - 32}" width="14" height="14" rx="3" fill="${fill}" stroke="${line}"${dash && ` stroke-dasharray="${dash}"`}/>${text(x + 20, head - 20, word, ' font-size="12"')}`;
  });
  return inBothSchemes(
    [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${PAGE.width}mm" height="${PAGE.height}mm" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="${INK.text}">`,
      // The sheet beyond what is drawn, too.
      `<rect x="-100%" y="-100%" width="300%" height="300%" fill="${INK.paper}"/>`,
      text(
        MARGIN,
        30,
        short(`${title}, ${date}`, Math.floor((width - 2 * MARGIN) / LETTER.title)),
        ' font-size="17" font-weight="600"',
      ),
      ...said.map((line, i) => text(MARGIN, 52 + LINE * i, line, ' font-weight="600"')),
      ...legend,
      ...cells,
      ...notes.map((note, i) => text(MARGIN, foot + LINE * i, note, ` font-size="12" fill="${INK.muted}"`)),
      '</svg>\n',
    ].join('\n'),
  );
}

/** Lines of at most so many characters, broken at blanks. */
function wrapped(note: string, max: number): string[] {
  const lines: string[] = [];
  for (const word of note.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > max) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
