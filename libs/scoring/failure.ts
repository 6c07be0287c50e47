import type { Result } from '#threads';
import type { UploadFindings } from '#uploads';

/** A refusal travels as what it says, anything else as a fault without the input's content. */
export function failure(id: number, error: unknown, findings: UploadFindings = {}): Result {
  const { kind, detail, side, file } = error as { kind?: string; detail?: string; side?: string; file?: string };
  if (kind !== undefined && detail !== undefined) return { id, error: { kind, detail, side, file, findings } };
  return { id, error: { fault: error instanceof Error ? `${error.message}\n${error.stack}` : 'unknown fault' } };
}
