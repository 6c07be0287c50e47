/**
 * Questions to the views, answered on a thread of their own: however much is asked, claims and the folding of events go on
 * meanwhile.
 */
import { ThreadPool } from '#kit/threads/pool';
import { type Coding, type Encoded, type EncodedLines, ViewsUnread } from './encode.js';
import type { Views } from './runner.js';

/** What answers, by its name: each room adds its own where it has its questions. */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add to it
export interface ReadModels {}

export interface Question {
  /** By the view's name: the file that answers. */
  files: Record<string, string>;
  model: keyof ReadModels;
  method: string;
  args: unknown[];
  /** The answer as JSON, in the first of these where it is long. Left out: as it is. */
  codings?: readonly Coding[];
  /** A page, as lines. */
  lines?: boolean;
}

/** Its answer, which may be an error; or the file that is no longer there. */
export type Read = { value: unknown } | { error: { name: string; message: string } } | { gone: string };

/** Where questions are answered. */
export interface Answering {
  /** The module of the thread, which exports `read`. */
  thread: URL;
  /** The views that each model reads. */
  views: Record<keyof ReadModels, readonly string[]>;
  /** Errors that are answers, by name; threads lose an error's class. */
  errors: Record<string, new (message: string) => Error>;
}

type Methods<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T] & string;
type Arguments<T, K extends keyof T> = T[K] extends (...args: infer A) => unknown ? A : never;
type Result<T, K extends keyof T> = T[K] extends (...args: never[]) => infer R ? R : never;

export class ViewReads {
  /** It starts with the first question. */
  private readonly pool = new ThreadPool({
    threads: 1,
    inSqlite: true,
    fault: (reason, cause) => new ViewsUnread(`the views are not read (${reason})`, { cause }),
  });

  /** @param timeoutMs longest wait for an answer */
  constructor(
    private readonly views: Pick<Views, 'file'>,
    private readonly timeoutMs: number,
    private readonly answering: Answering,
  ) {}

  /** The answer of a model's method, of all that the views hold when it is asked. @throws BadCursor, ViewsUnread */
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
    const { thread, views, errors } = this.answering;
    const of: readonly string[] = views[asked.model];
    const files = Object.fromEntries(of.map((name) => [name, this.views.file(name).committed()]));
    const question: Question = { ...asked, files };
    const read = await this.pool.run<Read>(thread, 'read', [question], { timeoutMs: this.timeoutMs });
    if ('value' in read) return read.value;
    if ('error' in read) throw new errors[read.error.name](read.error.message);
    if (again) throw new ViewsUnread(`there is no file ${read.gone}`);
    // A rebuild ended meanwhile, and the old file with it: the new one answers.
    return this.read(asked, true);
  }
}
