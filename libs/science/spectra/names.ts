import type { Limits } from '#config/limits';
import { limits as defaultLimits } from '#config/limits';

/** Extensions of text scans; OPUS files carry a number instead. */
const TEXT_EXTENSIONS = new Set(['dpt', 'csv', 'txt', 'tsv']);

/** The scan formats as users read them. */
export const SCAN_FILES = '.dpt, .csv, .txt, OPUS .0, or a .zip of these';

/** A file name without its folders (either slash). */
export const lastPart = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);

/** The extension in lower case without its dot, '' where there is none. */
export function extensionOf(name: string): string {
  const last = lastPart(name);
  const dot = last.lastIndexOf('.');
  return dot < 0 ? '' : last.slice(dot + 1).toLowerCase();
}

/** True for the extension of a scan: .dpt, .csv, .txt, .tsv, or digits as OPUS numbers its files. */
export const isScanName = (name: string): boolean =>
  TEXT_EXTENSIONS.has(extensionOf(name)) || /^\d+$/.test(extensionOf(name));

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

/**
 * The stone reference in a file name: `<base_code>[.<part>]`, the part a number, up to the first `_`, `-` or blank;
 * folders and the extension do not count. `lot/AB12.1_rough_2.dpt` is AB12.1, `AB12.0` (OPUS) is AB12.
 */
export function referenceFromFileName(name: string): string {
  const last = lastPart(name);
  const stem = isScanName(last) ? last.slice(0, last.lastIndexOf('.')) : last;
  const head = /^[^_\-\s]*/.exec(stem)![0];
  const reference = /^[^.]+(\.\d+(?![^.]))?/.exec(head)?.[0] ?? stem;
  return cleanReference(reference);
}

/** Stone and number of a scan in a file name `<stone>_<number>`; folders and the extension do not count. */
export function stoneFromFileName(name: string): { stone: string; number: string } | undefined {
  const last = lastPart(name);
  const stem = isScanName(last) ? last.slice(0, last.lastIndexOf('.')) : last;
  const [, head, number] = /^(.+)_(\d+)$/s.exec(stem) ?? [];
  const stone = head === undefined ? '' : cleanReference(head);
  return stone === '' ? undefined : { stone, number };
}
