import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';

/** What a command reads, writes and answers with. */
export interface Io {
  env: NodeJS.ProcessEnv;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  /** 0 until a command says otherwise. */
  exitCode: number;
}

const commands = new AsyncLocalStorage<Io>();

/** Runs a command on `given`; what it calls finds that by `io`. */
export const withIo = <T>(given: Io, command: () => T): T => commands.run(given, command);

/** That of the command which is running. @throws Error outside of one */
export function io(): Io {
  const given = commands.getStore();
  if (!given) throw new Error('no command is running');
  return given;
}

/** The exit code of the running command, which goes on. */
export const exitWith = (code: number): void => {
  io().exitCode = code;
};
