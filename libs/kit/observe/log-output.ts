/** Output of log lines. A line that the standard output does not take is dropped and counted: no answer waits for it. */
import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import pino, { type DestinationStream } from 'pino';

/** Bytes of lines that a reader of a pipe may be behind. */
const MOST_BEHIND = 256 * 1024;

/** Writes a line, and says once whether it was taken. */
export type Sink = (line: string, taken: (yes: boolean) => void) => void;

export class LogOutput implements DestinationStream {
  /** Lines dropped since the start. */
  dropped = 0;
  /** Dropped lines that no line has told of yet. */
  private untold = 0;

  /** @param shown how a line is written */
  constructor(
    private readonly sink: Sink,
    private readonly shown: (line: string) => string = (line) => line,
  ) {}

  /** True while the latest lines were dropped. */
  get dropping(): boolean {
    return this.untold > 0;
  }

  write(line: string): void {
    this.sink(this.shown(line), (yes) => {
      if (!yes) {
        this.dropped++;
        this.untold++;
      } else if (this.untold > 0) this.tell();
    });
  }

  /** Says in the log itself what it lacks. */
  private tell(): void {
    const lines = this.untold;
    this.untold = 0;
    const told = { level: pino.levels.values.warn, time: Date.now(), lines, msg: 'log lines dropped' };
    this.sink(this.shown(`${JSON.stringify(told)}\n`), (yes) => {
      if (!yes) this.untold += lines;
    });
  }
}

/** The process's standard output. @param readable how a line is written to a terminal */
export function standardOutput(readable?: (line: string) => string): LogOutput {
  if (isatty(1)) return new LogOutput(streamSink(process.stdout), readable);
  const kind = fstatSync(1);
  return new LogOutput(kind.isFIFO() || kind.isSocket() ? streamSink(process.stdout) : fileSink(1));
}

/** A pipe, a socket or a terminal: written without waiting for its reader. */
export function streamSink(stream: NodeJS.WriteStream): Sink {
  // Told to each write, too.
  stream.on('error', () => {});
  return (line, taken) => {
    if (stream.writableLength > MOST_BEHIND) taken(false);
    else stream.write(line, (error) => taken(!error));
  };
}

/** A file or a device, which takes a line at once or fails. */
export function fileSink(file: number, write = writeSync): Sink {
  // After a line that was cut short the next begins a line of its own.
  let torn = false;
  return (line, taken) => {
    const bytes = Buffer.from(torn ? `\n${line}` : line);
    let written = 0;
    try {
      while (written < bytes.length) written += write(file, bytes, written);
      torn = false;
    } catch {
      torn ||= written > 0;
    }
    taken(written === bytes.length);
  };
}
