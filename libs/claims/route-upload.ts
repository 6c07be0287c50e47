/** Reads the two forms of a claim off the wire into what the upload reader takes. */
import { type Configuration, limitsOf } from '#config/environment';
import { type Exchange, mediaType, readBody } from '#kit/http/body';
import type { BodyBudget } from '#kit/http/body-budget';
import { type Form, readForm } from '#kit/http/multipart';
import { Problem } from '#kit/http/problem';
import { type Upload, unreadField } from '#kit/queue/upload';
import type { SharedMemory } from '#kit/threads/shared-memory';
import { refusedTarget } from '#science/matching/verdict';
import { cleanReference } from '#science/spectra/names';
import { printableName, Refusal, type Side } from '#science/spectra/refusal';

/**
 * @param memory of the usual body, until a thread has read it
 * @param stoneTemplate of the names of the population's files
 * @throws Problem, ClientGone
 */
export async function readUpload(
  exchange: Exchange,
  configuration: Configuration,
  budget: BodyBudget,
  memory: SharedMemory,
  stoneTemplate?: string,
): Promise<Upload> {
  const { maxBodyBytes, requestTimeoutMs } = configuration;
  const bodyLimits = { maxBytes: maxBodyBytes, timeoutMs: requestTimeoutMs };
  switch (mediaType(exchange.request)) {
    case 'application/json':
      return { kind: 'json', body: await readBody(exchange, bodyLimits, budget, (bytes) => memory.take(bytes)) };
    case 'multipart/form-data': {
      const formLimits = { ...bodyLimits, maxFiles: 2 * limitsOf(configuration).fileScans + 1 };
      return uploadOf(await readForm(exchange, formLimits, budget), stoneTemplate);
    }
    default:
      throw new Problem('wrong_content_type', ': send application/json or multipart/form-data');
  }
}

const FILES = ['rough_files', 'polish_files'];
const TARGET = 'reject_target';
const STONE_IDS = { rough: 'rough_stone_id', polish: 'polish_stone_id' } as const;
const PLAIN: readonly string[] = [TARGET, ...Object.values(STONE_IDS)];
const SEND = `send scans as files in the fields rough_files and polish_files, and ${PLAIN.join(', ')} as plain fields`;

/**
 * @throws Refusal where files came under a name that is not read, files as plain text, or `reject_target` as a file: what
 * the sender meant would be left out
 */
export function uploadOf({ fields, files }: Form, stoneTemplate?: string): Upload {
  if (files.some(({ field }) => field === TARGET)) throw refusedTarget(`it came as a file: ${SEND}`);
  const of = (field: string) => files.filter((file) => file.field === field);
  const sides = { rough: of('rough_files'), polish: of('polish_files') };
  const strange = [
    ...files.filter(({ field }) => !FILES.includes(field)).map(({ field }) => printableName(field) || '(no name)'),
    ...fields.filter(({ name }) => FILES.includes(name)).map(({ name }) => `${name} (as text, without a file name)`),
  ];
  // Where a side has no file, its refusal names what came instead.
  if (strange.length > 0 && sides.rough.length > 0 && sides.polish.length > 0)
    throw new Refusal('unparseable', { reason: `a file came in ${strange[0]}, which is not read`, fix: SEND });
  const targets = fields.filter(({ name }) => name === TARGET).map(({ value }) => value);
  const others = fields.filter(({ name }) => !PLAIN.includes(name) && !FILES.includes(name));
  return {
    kind: 'files',
    rejectTarget: targets.length > 1 ? targets : targets[0],
    ...sides,
    stoneIds: stoneIdsOf(fields),
    ...(stoneTemplate !== undefined && { stoneTemplate }),
    unused: [
      ...strange.map((file) => ({ file, reason: 'files came in it, which is not read' })),
      ...others.map(({ name }) => unreadField(name)),
    ],
  };
}

/** A field that is empty, as of a form that was not filled in, leaves the stone to the files' names. */
function stoneIdsOf(fields: Form['fields']): Partial<Record<Side, string[]>> {
  const sides = Object.entries(STONE_IDS).map(([side, field]) => {
    const given = fields.filter(({ name }) => name === field).map(({ value }) => cleanReference(value));
    return [side, [...new Set(given)].filter((reference) => reference !== '')] as const;
  });
  return Object.fromEntries(sides.filter(([, references]) => references.length > 0));
}
