/**
 * Results that take long to compute, kept beside the views so that a start does not lose them. Each is a file with a code over it
 * and over what it is of, by the secret of the log's seals: one that another hand wrote, or that is of another log, counts for
 * nothing, and is computed anew.
 */
import { createHmac } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '#config/folder';
import type { LogSeals } from '#kit/log/seal';
import { sha256Hex } from '#kit/log/secrets';

/** All that a result follows from: of the same it is the same. */
export type ResultOf = readonly (string | number)[];

/** Files that are kept, the newest. */
const MOST_FILES = 500;

export class KeptResults {
  /** @param directory made with the first result */
  constructor(
    private readonly directory: string,
    private readonly seals: Pick<LogSeals, 'given' | 'log'>,
  ) {}

  /** The result as it was kept, else computed, and kept. @param compute its result is as JSON holds it */
  async get<Result extends object | string>(of: ResultOf, compute: () => Promise<Result>): Promise<Result> {
    const text = await readFile(this.file(of), 'utf8').catch(() => '');
    const [code] = text.split('\n', 1);
    if (code !== '' && code === this.code(of, text.slice(code.length + 1)))
      return JSON.parse(text.slice(code.length + 1));
    const result = await compute();
    await this.keep(of, JSON.stringify(result));
    return result;
  }

  /** What the disk does not take is computed again after the next start. */
  private async keep(of: ResultOf, text: string): Promise<void> {
    const code = this.code(of, text);
    if (code === undefined) return;
    const file = this.file(of);
    try {
      makeFolder(this.directory, 0o700);
      await writeFile(`${file}.new`, `${code}\n${text}`, { mode: 0o600 });
      await rename(`${file}.new`, file);
      await this.letGo();
    } catch {}
  }

  private async letGo(): Promise<void> {
    const names = readdirSync(this.directory);
    if (names.length <= MOST_FILES) return;
    const aged = names.map((name) => ({ name, at: statSync(join(this.directory, name)).mtimeMs }));
    aged.sort((a, b) => b.at - a.at);
    for (const { name } of aged.slice(MOST_FILES)) await rm(join(this.directory, name), { force: true });
  }

  private file(of: ResultOf): string {
    return join(this.directory, `${sha256Hex(JSON.stringify(of)).slice(0, 32)}.json`);
  }

  /** Undefined where the log's name or secret is not known. */
  private code(of: ResultOf, text: string): string | undefined {
    const { given, log } = this.seals;
    if (given.length === 0 || log === undefined) return undefined;
    return createHmac('sha256', given[0])
      .update(`mvs-result/1\n${log}\n${JSON.stringify(of)}\n${text}`)
      .digest('hex');
  }
}
