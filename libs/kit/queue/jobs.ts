/** A lane of threads that does its jobs one by one. */
import type { Handlers, Jobs, Reply, Result } from '#kit/threads/protocol';
import type { UploadFindings } from './upload.js';

/** A refusal travels as what it says, anything else as a fault without the input's content. */
export function failure(id: number, error: unknown, findings: UploadFindings = {}): Result {
  const { kind, detail, side, file } = error as { kind?: string; detail?: string; side?: string; file?: string };
  if (kind !== undefined && detail !== undefined) return { id, error: { kind, detail, side, file, findings } };
  return { id, error: { fault: error instanceof Error ? `${error.message}\n${error.stack}` : 'unknown fault' } };
}

/** Spectra of an answer, which move to the caller. */
type Moved = { spectra?: Float32Array<ArrayBuffer>; forShadow?: Float32Array<ArrayBuffer> };

interface Course {
  /** Takes what a refusal should say beside its reason. */
  findings: UploadFindings;
  goOn: Jobs<unknown>[number]['goOn'];
}

export const oneByOne =
  <P>(work: (payload: P, course: Course) => unknown): Handlers[string] =>
  async (jobs: Jobs<P>, reply: Reply): Promise<void> => {
    for (const { id, payload, goOn } of jobs) {
      const findings: UploadFindings = {};
      try {
        const value = await work(payload, { findings, goOn });
        const { spectra, forShadow } = value as Moved;
        reply(
          [{ id, value }],
          [spectra, forShadow].flatMap((moved) => (moved ? [moved.buffer] : [])),
        );
      } catch (error) {
        reply([failure(id, error, findings)]);
      }
    }
  };
