/** The check of a running service's log: the walk of `mvs events verify`, but for events that stop the views. */
import { recordedFault } from '#catalogue/admission';
import { type LogCheckStep, type LogPass, paced, pause } from '#kit/log/check';
import { StoreUnavailable } from '#kit/log/port';
import type { SealedReader } from '#kit/log/seal';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { walk } from './log-walk.js';

/** A server that is slow is no work of this process: longest pause (ms). One that is away is asked again after as long. */
const SERVER_PAUSE_MS = 1000;
/** A server that is silent for so long (ms) is asked again, and the service can stop meanwhile. */
const SERVER_ANSWERS_WITHIN_MS = 5000;

export interface CheckedLog {
  secrets: readonly string[];
  /** Folder of a SQLite log. */
  directory?: string;
  /** Else the EventStoreDB. */
  connectionString?: string;
}

/** For `LogCheck`. */
export const logPass = (of: CheckedLog): LogPass => ({
  module: new URL('./log-passes.js', import.meta.url),
  exportName: 'checkLog',
  of,
});

/** Run by the log check's thread. */
export async function checkLog(
  { secrets, directory, connectionString }: CheckedLog,
  stop: Int32Array,
  report: (step: LogCheckStep) => void,
): Promise<void> {
  const opened =
    connectionString === undefined
      ? openSqliteEventReader({ directory: directory as string, secrets, strict: true })
      : (await import('#kit/log/eventstoredb/store')).openEventStoreDB({
          ...{ connectionString, secrets, strict: true, answerWithinMs: SERVER_ANSWERS_WITHIN_MS },
        });
  const isServer = connectionString !== undefined;
  const reader = isServer ? lasting(opened, stop) : opened;
  const goOn = paced(stop, isServer ? SERVER_PAUSE_MS : undefined);
  try {
    // An event that no view takes is told by health until an operator lets it pass, and not for ever here too.
    const passes = (event: Parameters<typeof recordedFault>[0]) => recordedFault(event) !== undefined;
    for await (const { checked, head, damage, rows } of walk(reader, { ...(!isServer && { directory }), passes })) {
      report({ checked: Number(checked), head: Number(head), damage, rows });
      if (!goOn()) return;
    }
  } finally {
    await opened.close();
  }
}

/** A server's log, read on from where it was when the server is back. */
function lasting(reader: SealedReader, stop: Int32Array): SealedReader {
  const again = (error: unknown) => {
    if (!(error instanceof StoreUnavailable) || !pause(stop, SERVER_PAUSE_MS)) throw error;
  };
  return {
    ...reader,
    async head() {
      for (;;) {
        try {
          return await reader.head();
        } catch (error) {
          again(error);
        }
      }
    },
    async *readAll(options = {}) {
      for (let { after } = options; ; ) {
        try {
          for await (const event of reader.readAll({ ...options, after })) {
            after = event.position;
            yield event;
          }
          return;
        } catch (error) {
          again(error);
        }
      }
    },
  };
}
