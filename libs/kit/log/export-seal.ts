/**
 * The seal of an export: the word of a log's secret that each event of it was sealed there, or taken by an operator, when it
 * was exported. It stands in the last line, beside the digest that it covers, so that equal logs have equal events.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { secretId } from './seal.js';

const FORM = 'mvs-export-seal/2';
const SEAL = /^([0-9a-f]{8})[.]([A-Za-z0-9_-]{43})$/;

/** What it covers: the last line. */
export interface ExportEnd {
  events: number;
  /** Over the lines, 64 hex digits. */
  sha256: string;
}

export const exportSeal = (secret: string, end: ExportEnd): string =>
  `${secretId(secret)}.${code(secret, end).toString('base64url')}`;

/** Why none of the secrets sealed an export, as the end of a sentence that begins with it; undefined if one does. */
export function exportSealFault(
  seal: string | undefined,
  end: ExportEnd,
  secrets: readonly string[],
): string | undefined {
  const [, id, text] = SEAL.exec(seal ?? '') ?? [];
  if (id === undefined) return 'has no seal: it comes from a log that was not sealed, or from an earlier release';
  const secret = secrets.find((one) => secretId(one) === id);
  if (secret === undefined) return `is sealed by secret ${id}, which is not given`;
  if (timingSafeEqual(Buffer.from(text, 'base64url'), code(secret, end))) return undefined;
  return 'has a seal that does not fit: it was changed';
}

function code(secret: string, { events, sha256 }: ExportEnd): Buffer {
  const covered = JSON.stringify([FORM, events, sha256]);
  return createHmac('sha256', secret).update(covered).digest();
}
