/** Answers of the views, read on a thread of their own: however much an operator asks for, the event loop is not held up. */
import { ThreadPool } from '#kit/threads/pool';
import { TooManyBuckets } from '#telemetry/queries';
import type { Coding, Encoded } from './encode.js';
import { BadCursor } from './page.js';
import type { Question, Read, ReadModels } from './reads-thread.js';
import type { Views } from './runner.js';

export { LEAST_BYTES, QUICK_BROTLI, QUICK_GZIP } from './encode.js';
export type { Coding, Encoded, ReadModels };

const THREAD = new URL('./reads-thread.js', import.meta.url);

/** The views that each model reads. */
const VIEWS_OF = {
  findings: ['findings'],
  ledger: ['ledger', 'findings'],
  telemetry: ['telemetry', 'findings'],
  evidence: ['evidence'],
  lots: ['lots'],
} as const satisfies Record<keyof ReadModels, readonly string[]>;

const ANSWERS = { BadCursor, TooManyBuckets };

type Methods<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T] & string;
type Arguments<T, K extends keyof T> = T[K] extends (...args: infer A) => unknown ? A : never;
type Result<T, K extends keyof T> = T[K] extends (...args: never[]) => infer R ? R : never;

/** The thread does not answer in time, or not at all. */
export class ViewsUnread extends Error {
  override readonly name = 'ViewsUnread';
}

export class ViewReads {
  /** It starts with the first question. */
  private readonly pool = new ThreadPool({
    threads: 1,
    fault: (reason, cause) => new ViewsUnread(`the views cannot be read now (${reason})`, { cause }),
  });

  /** @param timeoutMs longest wait for an answer */
  constructor(
    private readonly views: Pick<Views, 'file'>,
    private readonly timeoutMs: number,
  ) {}

  /** The answer of a model's method. @throws BadCursor, TooManyBuckets, ViewsUnread */
  async ask<M extends keyof ReadModels, K extends Methods<ReadModels[M]>>(
    model: M,
    method: K,
    ...args: Arguments<ReadModels[M], K>
  ): Promise<Awaited<Result<ReadModels[M], K>>> {
    return (await this.read({ model, method, args })) as Awaited<Result<ReadModels[M], K>>;
  }

  /** The same as JSON, in the first of the codings where it is long: a page of megabytes costs the event loop no more. */
  async encoded<M extends keyof ReadModels, K extends Methods<ReadModels[M]>>(
    codings: readonly Coding[],
    model: M,
    method: K,
    ...args: Arguments<ReadModels[M], K>
  ): Promise<Encoded> {
    return (await this.read({ model, method, args, codings })) as Encoded;
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async read(asked: Omit<Question, 'files'>): Promise<unknown> {
    const files = Object.fromEntries(VIEWS_OF[asked.model].map((name) => [name, this.views.file(name).committed()]));
    const question: Question = { ...asked, files };
    const read = await this.pool.run<Read>(THREAD, 'read', [question], { timeoutMs: this.timeoutMs });
    if ('value' in read) return read.value;
    throw new ANSWERS[read.error.name as keyof typeof ANSWERS](read.error.message);
  }
}
