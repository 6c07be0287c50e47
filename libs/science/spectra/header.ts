/** What the header of a text export says of its two columns: every line counts, a column's head the most. */
import { TO_ABSORBANCE, TO_WAVENUMBERS } from './physical.js';
import { QUANTITIES, type Quantity, readWords, type Said } from './quantities.js';

/** A line that is no data row, in each encoding that it may be in. */
export interface HeaderLine {
  texts: string[];
  footer: boolean;
}

/** A line that says that the columns hold something else. */
export interface HeaderFault<L extends HeaderLine = HeaderLine> {
  line: L;
  /** The end of a sentence: `gives wavelengths ("nm")`. */
  reason: string;
  fix: string;
}

/** How much a line says: a unit counts least of a wavenumber, which Raman shifts have too. */
enum Rank {
  unit,
  alone,
  mode,
  named,
  head,
  always,
}

interface Claim<L> {
  axis: 'x' | 'y';
  rank: Rank;
  said: Said;
  line: L;
}

/** A key and its value: `XUNITS,1/CM`, `##YUNITS= ABSORBANCE`, `Photometric mode: %T`. */
const KEYED = /^[\s#;"']*([\p{L}][\p{L}\p{N} _./()-]{0,40}?)["']?\s*[:=,;\t]\s*(.+)$/u;
const X_KEY =
  /^(x([ _-]?(units?|axis|achse|label|title|einheit|data)\b.*)?|(x-?)?abs[cz]iss\w*|ascissa|axe x|asse x|eje x|eixo x|ось x|horizontal\b.*|横轴|横軸)$/iu;
const Y_KEY =
  /^(y([ _-]?(units?|axis|achse|label|title|einheit|data)\b.*)?|ordin\w*|ordenada|axe y|asse y|eje y|eixo y|ось y|vertical\b.*|纵轴|縦軸)$/iu;
const TYPE_KEY = /^data[ _-]?(type|class)$/i;
const MODE_KEY =
  /^((photometric|measur\w*|spectr\w*|scan|acquisition|display|result|signal|data|plot)[ _-]*)?(mode|type|technique|quantity|format|signal|unit|units)$|^(mess(art|modus)|modus|mode de mesure|modalit\w+|modo( de medida)?|meetmodus|режим( измерения)?|(测量|測定|測光)?模式|測光モード|測定モード)$/iu;
/** A way to measure absorbance too. */
const GEOMETRY =
  /^(transmission|reflection|reflexion|r.flexion|transmisi.n|trasmissione|transmissie|transmiss.o|riflessione|reflectie)$/iu;
/** The head of a first column that the tables do not have. */
const X_HEAD = /^[#\W]*(x|wave\w*|freq\w*|shift|number|index|point|pixel|nr|no)?[\s#."()[\]]*$/i;

/**
 * @param lines header and footer lines, in the order of the file
 * @param separator of the data's columns
 */
export function faultOfHeader<L extends HeaderLine>(
  lines: readonly L[],
  separator: RegExp,
): HeaderFault<L> | undefined {
  const header = lines.filter(({ footer }) => !footer);
  const claims = lines.flatMap((line) => claimsOf(line, line === header.at(-1), separator));
  for (const axis of ['x', 'y'] as const) {
    const own = claims.filter((claim) => claim.axis === axis);
    const rank = Math.max(...own.map((claim) => claim.rank));
    const wrong = own.find(
      (claim) => (claim.rank === rank || claim.rank === Rank.always) && !isRead(claim.said.quantity),
    );
    if (wrong) return faultOf(wrong);
  }
  return undefined;
}

const isRead = (quantity: Quantity) => quantity === 'wavenumber' || quantity === 'absorbance';

function faultOf<L extends HeaderLine>({ axis, said: { quantity, word }, line }: Claim<L>): HeaderFault<L> {
  const { called } = QUANTITIES[quantity];
  const unnamed = quantity === 'intensity' ? `; if they are absorbance, head the column so` : '';
  return {
    line,
    reason: `gives ${axis === 'x' ? called : `the values as ${called}`} ("${word}")`,
    fix: axis === 'x' ? TO_WAVENUMBERS : `${TO_ABSORBANCE}${unnamed}`,
  };
}

function claimsOf<L extends HeaderLine>(line: L, last: boolean, separator: RegExp): Claim<L>[] {
  for (const text of line.texts) {
    const claims = line.footer
      ? keyed(text, line)
      : (last && headed(text, line, separator)) || [...keyed(text, line), ...alone(text, line)];
    if (claims.length > 0) return claims;
  }
  return [];
}

const claim = <L>(line: L, axis: 'x' | 'y', rank: Rank, said: Said | undefined): Claim<L>[] => {
  if (!said) return [];
  return [{ axis, rank: said.unit && said.quantity === 'wavenumber' ? Rank.unit : rank, said, line }];
};

function keyed<L extends HeaderLine>(text: string, line: L): Claim<L>[] {
  const [, key, value] = KEYED.exec(text) ?? [];
  if (key === undefined) return [];
  const { x, y, whole } = readWords(value, true);
  if (TYPE_KEY.test(key)) return y && !isRead(y.quantity) ? claim(line, 'y', Rank.always, y) : [];
  if (X_KEY.test(key)) return claim(line, 'x', Rank.named, x);
  if (Y_KEY.test(key)) return claim(line, 'y', Rank.named, y);
  if (!MODE_KEY.test(key) || !whole || (y && GEOMETRY.test(y.word))) return [];
  return claim(line, 'y', Rank.mode, y);
}

/** A line that is nothing but names and units of quantities; a key without a value says nothing. */
function alone<L extends HeaderLine>(text: string, line: L): Claim<L>[] {
  if (/[:=]\s*$/.test(text)) return [];
  const { x, y, whole } = readWords(text);
  return whole ? [...claim(line, 'x', Rank.alone, x), ...claim(line, 'y', Rank.alone, y)] : [];
}

/** The heads of the columns: the last header line, if its first cell can head wavenumbers. */
function headed<L extends HeaderLine>(text: string, line: L, separator: RegExp): Claim<L>[] | undefined {
  const cells = [separator, /\t|;|,|\s{2,}/]
    .map((by) => text.split(by).filter((cell) => /[\p{L}\p{N}%]/u.test(cell)))
    .find(({ length }) => length > 1);
  if (!cells) return undefined;
  const [first, second] = [readWords(cells[cells.length - 2]), readWords(cells[cells.length - 1], true)];
  const cut = cells.some((cell) => /[:=]\s/.test(cell));
  if (cut || !(first.x || (first.whole && !first.y) || X_HEAD.test(cells[cells.length - 2]))) return undefined;
  const y = second.y ?? undefined;
  return [...claim(line, 'x', Rank.head, first.x), ...claim(line, 'y', Rank.head, y)];
}
