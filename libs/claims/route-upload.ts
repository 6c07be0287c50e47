/** Reads the two forms of a claim off the wire into what the upload reader takes. */
import { type Configuration, limitsOf } from '#config/environment';
import { limits } from '#config/limits';
import { type Exchange, mediaType, readBody } from '#kit/http/body';
import type { BodyBudget } from '#kit/http/body-budget';
import { type Form, readForm } from '#kit/http/multipart';
import { Problem } from '#kit/http/problem';
import type { Upload } from '#kit/queue/upload';
import type { SharedMemory } from '#kit/threads/shared-memory';

/** @param memory of the usual body, until a thread has read it @throws Problem, ClientGone */
export async function readUpload(
  exchange: Exchange,
  configuration: Configuration,
  budget: BodyBudget,
  memory: SharedMemory,
): Promise<Upload> {
  const { maxBodyBytes, requestTimeoutMs } = configuration;
  const bodyLimits = { maxBytes: maxBodyBytes, timeoutMs: requestTimeoutMs };
  switch (mediaType(exchange.request)) {
    case 'application/json':
      return { kind: 'json', body: await readBody(exchange, bodyLimits, budget, (bytes) => memory.take(bytes)) };
    case 'multipart/form-data': {
      const formLimits = { ...bodyLimits, maxFiles: 2 * limitsOf(configuration).fileScans + 1 };
      return uploadOf(await readForm(exchange, formLimits, budget));
    }
    default:
      throw new Problem('wrong_content_type', ': send application/json or multipart/form-data');
  }
}

/** @throws Problem where a side was sent under a name or in a way that the contract does not know */
export function uploadOf({ fields, files }: Form): Upload {
  const targets = [
    ...fields.filter(({ name }) => name === 'reject_target').map(({ value }) => value),
    // Some clients send every part with a file name.
    ...files.filter(({ field }) => field === 'reject_target').map(({ data }) => textOf(data)),
  ];
  const of = (field: string) => files.filter((file) => file.field === field);
  return {
    kind: 'files',
    rejectTarget: targets.length > 1 ? targets : targets[0],
    rough: of('rough_files'),
    polish: of('polish_files'),
    sent: sentOtherwise(fields, files),
  };
}

function textOf(data: Uint8Array): string {
  if (data.length > limits.fieldBytes)
    throw new Problem('too_large', `: a field holds at most ${limits.fieldBytes} bytes`);
  return new TextDecoder().decode(data);
}

/** Names other than those expected, for the refusal of a side without files: the client sees its slip. */
function sentOtherwise(fields: Form['fields'], files: Form['files']): string[] {
  const known = new Set(['rough_files', 'polish_files', 'reject_target']);
  const names = new Set<string>();
  for (const { field } of files) if (!known.has(field)) names.add(field || '(no name)');
  for (const { name } of fields) if (name !== 'reject_target') names.add(`${name || '(no name)'} (as text)`);
  return [...names].slice(0, 8);
}
