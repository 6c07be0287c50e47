/**
 * Questions to the views, answered on a thread of their own: however much is asked, claims and the folding of events go on
 * meanwhile.
 */
import { ThreadPool } from '#kit/threads/pool';
import { type Coding, type Encoded, type EncodedLines, ViewsUnread } from '#kit/views/encode';
import { BadCursor } from '#kit/views/page';
import type { Views } from '#kit/views/runner';
import { TooManyBuckets } from '#telemetry/queries';
import type { Question, Read, ReadModels } from './reads-thread.js';

const THREAD = new URL('./reads-thread.js', import.meta.url);

/** The views that each model reads. */
const VIEWS_OF = {
  findings: ['findings'],
  ledger: ['ledger', 'findings'],
  telemetry: ['telemetry', 'findings'],
  evidence: ['evidence'],
  lots: ['lots'],
} as const satisfies Record<keyof ReadModels, readonly string[]>;

/** Errors that are answers; threads lose an error's class. */
const ANSWERS = { BadCursor, TooManyBuckets };

type Methods<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T] & string;
type Arguments<T, K extends keyof T> = T[K] extends (...args: infer A) => unknown ? A : never;
type Result<T, K extends keyof T> = T[K] extends (...args: never[]) => infer R ? R : never;

export class ViewReads {
  /** It starts with the first question. */
  private readonly pool = new ThreadPool({
    threads: 1,
    fault: (reason, cause) => new ViewsUnread(`the views are not read (${reason})`, { cause }),
  });

  /** @param timeoutMs longest wait for an answer */
  constructor(
    private readonly views: Pick<Views, 'file'>,
    private readonly timeoutMs: number,
  ) {}

  /** The answer of a model's method, of all that the views hold when it is asked. @throws BadCursor, TooManyBuckets, ViewsUnread */
  async ask<M extends keyof ReadModels, K extends Methods<ReadModels[M]>>(
    model: M,
    method: K,
    ...args: Arguments<ReadModels[M], K>
  ): Promise<Result<ReadModels[M], K>> {
    return (await this.read({ model, method, args })) as Result<ReadModels[M], K>;
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

  /** A page, as lines of JSON. */
  async lines<M extends keyof ReadModels, K extends Methods<ReadModels[M]>>(
    codings: readonly Coding[],
    model: M,
    method: K,
    ...args: Arguments<ReadModels[M], K>
  ): Promise<EncodedLines> {
    return (await this.read({ model, method, args, codings, lines: true })) as EncodedLines;
  }

  /** Questions in hand end with ViewsUnread. */
  close(): Promise<void> {
    return this.pool.close();
  }

  private async read(asked: Omit<Question, 'files'>, again = false): Promise<unknown> {
    const files = Object.fromEntries(VIEWS_OF[asked.model].map((name) => [name, this.views.file(name).committed()]));
    const question: Question = { ...asked, files };
    const read = await this.pool.run<Read>(THREAD, 'read', [question], { timeoutMs: this.timeoutMs });
    if ('value' in read) return read.value;
    if ('error' in read) throw new ANSWERS[read.error.name](read.error.message);
    if (again) throw new ViewsUnread(`there is no file ${read.gone}`);
    // A rebuild ended meanwhile, and the old file with it: the new one answers.
    return this.read(asked, true);
  }
}
