/** The form of a lot or of its return, off the wire. */
import type { Configuration } from '#config/environment';
import { limits } from '#config/limits';
import { cleanName } from '#keys/events';
import { type Exchange, mediaType } from '#kit/http/body';
import type { BodyBudget } from '#kit/http/body-budget';
import { readForm } from '#kit/http/multipart';
import { Problem } from '#kit/http/problem';
import { unreadField } from '#kit/queue/upload';
import { SESSION_TYPES, type SessionType } from '#science/lots/model';
import { printableName, Refusal } from '#science/spectra/refusal';
import type { LotFiles } from './lots.js';

export interface LotForm extends LotFiles {
  name?: string;
}

const SEND = 'send scans as files in the field files, which may be repeated';
const FIELDS = ['name', 'session_type', 'operator', 'instrument'] as const;
/** Any attempt to move the bar, by whichever name. */
const THRESHOLD = /threshold|bar$|margin|cut_?off|operating|accept|reject|confidence|sensitivity|score/i;

/** Scoring has one operating point: no query, body or field moves it; a null in a body counts as left out. @throws Problem */
export function refuseThreshold(...sent: unknown[]): void {
  for (const members of sent)
    for (const [name, value] of Object.entries(Object(members)))
      if (value !== null && THRESHOLD.test(name))
        throw new Problem('no_threshold', `: ${printableName(name)} was sent`);
}

/** @throws Problem, Refusal, ClientGone */
export async function readLotForm(
  exchange: Exchange,
  { maxBodyBytes, requestTimeoutMs }: Configuration,
  budget: BodyBudget,
): Promise<LotForm> {
  if (mediaType(exchange.request) !== 'multipart/form-data')
    throw new Problem('wrong_content_type', ': send multipart/form-data');
  // One more than there may be scans, for a field that came as a file.
  const maxFiles = limits.lotScans + FIELDS.length;
  const form = await readForm(exchange, { maxBytes: maxBodyBytes, timeoutMs: requestTimeoutMs, maxFiles }, budget);
  refuseThreshold(
    Object.fromEntries([...form.fields.map(({ name }) => [name, 1]), ...form.files.map(({ field }) => [field, 1])]),
  );
  const value = (wanted: (typeof FIELDS)[number]): string | undefined => {
    const found = form.fields.filter(({ name }) => name === wanted);
    if (found.length > 1) throw new Problem('unprocessable', `: ${wanted} was sent ${found.length} times`);
    return found[0]?.value;
  };
  const files = form.files.filter(({ field }) => field === 'files');
  if (form.fields.some(({ name }) => name === 'files'))
    throw new Refusal('unparseable', { reason: 'files came as text, without a file name', fix: SEND });
  // A stone that is left out unseen would be missed when the lot returns.
  if (files.length === 0 || files.length < form.files.length) {
    const others = [...new Set(form.files.map(({ field }) => field))].filter((field) => field !== 'files').slice(0, 8);
    const named = others.map((field) => printableName(field) || '(no name)').join(', ');
    const reason = others.length > 0 ? `files came in ${named}` : 'no file came in the field files';
    throw new Refusal('unparseable', { reason, fix: SEND });
  }
  const said = (field: 'operator' | 'instrument') => {
    const text = value(field);
    if (text === undefined || text.trim() === '') return undefined;
    const name = cleanName(text);
    if (name === undefined)
      throw new Problem('unprocessable', `: ${field} must be 1 to ${limits.nameCharacters} printable characters`);
    return name;
  };
  return {
    ...{ name: value('name'), session: sessionOf(value('session_type')), files },
    ...{ operator: said('operator'), instrument: said('instrument') },
    unused: form.fields
      .filter(({ name }) => !FIELDS.some((known) => known === name))
      .map(({ name }) => unreadField(name)),
  };
}

function sessionOf(text: string | undefined): SessionType | undefined {
  if (text === undefined || text === '') return undefined;
  const session = SESSION_TYPES.find((type) => type === text);
  if (!session) throw new Problem('unprocessable', `: session_type must be one of ${SESSION_TYPES.join(', ')}`);
  return session;
}
