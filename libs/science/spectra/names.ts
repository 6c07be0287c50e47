import type { Limits } from '#config/limits';
import { limits as defaultLimits } from '#config/limits';

/** Extensions of scans; OPUS files carry a number instead. The content decides how a file is read. */
const SCAN_EXTENSIONS = new Set('dpt csv txt tsv asc dat prn xy jdx dx jcm spc spa sp'.split(' '));

/** The scan formats as users read them: those of the contract, and those that are read beside them. */
export const SCAN_FILES =
  '.dpt, .csv, .txt, OPUS .0, or a .zip of these; also JCAMP-DX .jdx and .dx, GRAMS .spc, OMNIC .spa, PerkinElmer .sp';

/** A file name without its folders (either slash). */
export const lastPart = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);

/** The extension in lower case without its dot, '' where there is none. */
export function extensionOf(name: string): string {
  const last = lastPart(name);
  const dot = last.lastIndexOf('.');
  return dot < 0
    ? ''
    : last
        .slice(dot + 1)
        .trim()
        .toLowerCase();
}

/** True for the extension of a scan, or digits as OPUS numbers its files. */
export const isScanName = (name: string): boolean =>
  SCAN_EXTENSIONS.has(extensionOf(name)) || /^\d+$/.test(extensionOf(name));

const READ_ME =
  /^(?:read[ ._-]?me|lies[ ._-]?mich|lisez[ ._-]?moi|l[eé]eme|leggimi)(?:\.(?:txt|md|rst|rtf|html?|pdf|docx?))?$/i;
/** What lies beside scans and holds none: pictures, documents, tables of a spreadsheet, signatures, settings. */
const NO_SCANS = new Set(
  'jpg jpeg png gif bmp tif tiff svg webp heic pdf doc docx odt rtf md html htm ppt pptx xls xlsx ods mp4 mov json xml yaml yml ini db lnk url md5 sha256 sig'.split(
    ' ',
  ),
);

/**
 * Why a file beside scans, in a folder or a zip, is not looked at: '' where that is told to no user, as of what a system or
 * an archiver adds, and of read-me files; undefined where the file is to be read.
 */
export function reasonUnread(path: string): string | undefined {
  const name = lastPart(path);
  if (/(^|[/\\])__MACOSX[/\\]/.test(path) || name.startsWith('._')) return '';
  if (/^(\.DS_Store|desktop\.ini)$/i.test(name) || READ_ME.test(name)) return '';
  const extension = extensionOf(name);
  return NO_SCANS.has(extension) ? `a .${extension} file holds no scan` : undefined;
}

/** How the program that writes such files exports two columns: content that is not read. */
const EXPORTS: [extensions: string, what: string, how: string][] = [
  [
    'spg srs srsx',
    'a group or series of OMNIC',
    'in OMNIC save each spectrum by itself as SPA or CSV text (File, Save As)',
  ],
  ['fsm imp', 'an image of PerkinElmer Spectrum IMAGE', 'export the spectrum of one point as ASCII'],
  ['jws jwb jwl', 'a file of JASCO Spectra Manager', 'in Spectra Manager export it as JCAMP-DX or text (File, Export)'],
  ['ispd smf', 'a file of Shimadzu LabSolutions IR', 'in LabSolutions IR export it as text (File, Export)'],
  [
    'asp bsp seq dmt dms drd a2r',
    'a file of Agilent Resolutions Pro or MicroLab',
    'export it there as CSV or JCAMP-DX',
  ],
  ['wdf l6s l5s ngs spe', 'a file of a Raman instrument', 'send infrared absorbance, exported as two columns'],
  ['icloud', 'a placeholder: the file itself is still in iCloud', 'download it first (in Finder: Download Now)'],
  ['xls xlsx ods numbers', 'a spreadsheet', 'save the sheet of two columns, wavenumber and absorbance, as CSV'],
  ['gz tgz tar 7z rar bz2 xz zst', 'an archive', 'pack the scans into a .zip'],
  ['jpg jpeg png gif bmp tif tiff pdf svg', 'a picture or print', 'export the numbers as two columns'],
];

/** What a file of such an extension is, and how to send its scan; undefined where nothing is known of it. */
export function exportOf(name: string): { what: string; how: string } | undefined {
  const extension = extensionOf(name);
  const found = EXPORTS.find(([extensions]) => extension !== '' && extensions.split(' ').includes(extension));
  return found && { what: found[1], how: found[2] };
}

/** Invisible characters: controls, signs of direction, of no width and of line ends, and halves of surrogate pairs. */
const UNSEEN = '[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';
const ANY_UNSEEN = new RegExp(UNSEEN, 'u');
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu');

/** True if a name holds invisible characters, so that two names could look alike. */
export const hasUnseen = (name: string): boolean => ANY_UNSEEN.test(name);

/** A note as it is kept: without invisible characters except line breaks and tabs. */
export const cleanText = (text: string): string =>
  text.replace(ALL_UNSEEN, (unseen) => (unseen === '\n' || unseen === '\t' ? unseen : ''));

/** A stone reference as it is kept: its visible characters, well formed, trimmed, cut to the limit. */
export function cleanReference(text: string, limits: Limits = defaultLimits): string {
  const clean = text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/\s+/gu, ' ')
    .replace(ALL_UNSEEN, '')
    .trim();
  return Array.from(clean.slice(0, 2 * limits.referenceCharacters))
    .slice(0, limits.referenceCharacters)
    .join('');
}

/** Stone and number of a scan in a file name `<stone>_<number>`; folders and the extension do not count. */
export function stoneFromFileName(name: string): { stone: string; number: string } | undefined {
  const last = lastPart(name);
  const stem = isScanName(last) ? last.slice(0, last.lastIndexOf('.')) : last;
  const [, head, number] = /^(.+)_(\d+)$/s.exec(stem) ?? [];
  const stone = head === undefined ? '' : cleanReference(head);
  return stone === '' ? undefined : { stone, number };
}
