// The thread that owns the log's writing connection: the disk's flushes never hold up the main thread.
import { parentPort, workerData } from 'node:worker_threads';
import { LogCorrupt } from '../port.js';
import { LogSeals } from '../seal.js';
import { type AppendOutcome, type AppendRequest, LogWriter } from './writer.js';

export type WriterMessage = AppendRequest[] | 'close';
export type WriterAnswer = { outcomes: AppendOutcome[] } | { failure: 'corrupt' | 'unavailable'; message: string };

export interface WriterData {
  directory: string;
  /** The newest first. */
  secrets: readonly string[];
  /** Of the log. */
  name: string;
}

const port = parentPort!;
const { directory, secrets, name } = workerData as WriterData;
let writer: LogWriter | undefined;

port.on('message', (message: WriterMessage) => {
  if (message === 'close') {
    port.close();
    return;
  }
  let answer: WriterAnswer;
  try {
    writer ??= new LogWriter(directory, new LogSeals(secrets).begin(name));
    answer = { outcomes: writer.appendGroup(message, Date.now()) };
  } catch (error) {
    answer = {
      failure: (error as Error).name === LogCorrupt.name ? 'corrupt' : 'unavailable',
      message: (error as Error).message,
    };
  }
  port.postMessage(answer);
});
