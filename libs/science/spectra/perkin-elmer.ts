import type { Limits } from '#config/limits';
import { latin1, textAt, viewOf } from './bytes.js';
import { checkedReading, checkUnprocessed, evenAxis, type FileReading, said, unreadable } from './reading.js';
import { printableName } from './refusal.js';

/*
 * PerkinElmer Spectrum SP: the letters PEPE, a description, and blocks of a number, a length and a content, which begins
 * with a number for its type; one block holds the members of the spectrum. Little-endian. Layout: the import tools that
 * PerkinElmer published for MATLAB (Westlake, 2007).
 */
const MAGIC = 'PEPE';
const HEADER_BYTES = 44;
const MAX_BLOCKS = 4096;
const DATA_SET = 120;
const [RANGE, POINTS, X_LABEL, Y_LABEL, DATA, NAME, HISTORY, ALIAS] = [
  ...[-29838, -29835, -29833, -29832],
  ...[-29828, -29827, -29825, -29823],
];
const FIX = 'in Spectrum convert it to absorbance over cm-1 and save it as SP, or as ASCII';

export const isPerkinElmer = (bytes: Uint8Array): boolean => textAt(bytes, 0, 4) === MAGIC;

/** Reads the absorbance spectrum of an SP file. Throws a Refusal that names the file. */
export function readPerkinElmer(file: string, bytes: Uint8Array, limits: Limits): FileReading {
  const fail = (reason: string, fix = FIX): never => {
    throw unreadable(file, reason, fix);
  };
  const truncated = (): never => fail('it is truncated or inconsistent', 'send the file again whole');
  const view = viewOf(bytes);
  /** Places of the members' contents, behind the number of their type. */
  const members = new Map<number, { at: number; size: number }>();
  let at = HEADER_BYTES;
  for (let i = 0; i < MAX_BLOCKS && at + 6 <= bytes.length; i++) {
    const [id, size] = [view.getInt16(at, true), view.getInt32(at + 2, true)];
    at += 6;
    // The block of the spectrum is entered; its members follow.
    if (id === DATA_SET) continue;
    if (size < 0 || at + size > bytes.length) truncated();
    if (id === DATA && members.has(id)) fail('it holds several spectra', 'save each spectrum by itself');
    members.set(id, { at: at + 2, size: size - 2 });
    at += size;
  }
  const textOf = (id: number): string => {
    const member = members.get(id);
    if (!member || member.size < 2) return '';
    return textAt(bytes, member.at + 2, Math.min(view.getUint16(member.at, true), member.size - 2)).trim();
  };
  const [range, points, data] = [members.get(RANGE), members.get(POINTS), members.get(DATA)];
  if (!data || !range || !points) return fail('it holds no spectrum');
  if (range.size < 16 || points.size < 4 || data.size < 4) truncated();
  const [x, y] = [textOf(X_LABEL), textOf(Y_LABEL)];
  if (!/^cm\s*\^?-1$/i.test(x)) fail(`its axis is ${printableName(x) || 'without a unit'}, not cm-1`);
  if (!/^(a|abs(orbance)?)$/i.test(y))
    fail(`its values are ${printableName(y) || 'without a unit'}, no absorbance (A)`);
  const [count, length] = [view.getInt32(points.at, true), view.getInt32(data.at, true)];
  if (count < 2 || count > limits.maxPoints || length !== 8 * count || data.size - 4 < length)
    fail(
      `it says that it has ${count} points, and has ${Math.floor((data.size - 4) / 8)}`,
      'send the file again whole',
    );
  const history = members.get(HISTORY);
  if (history) checkUnprocessed(file, latin1(bytes.subarray(history.at, history.at + Math.min(history.size, 65_536))));
  const values = Float64Array.from({ length: count }, (_, i) => view.getFloat64(data.at + 4 + 8 * i, true));
  const axis = evenAxis(view.getFloat64(range.at, true), view.getFloat64(range.at + 8, true), count);
  const acquired = said({ name: textOf(ALIAS) || textOf(NAME) });
  return checkedReading({ file, format: 'sp', choice: 'the absorbance (A)', acquired }, axis, values, limits);
}
