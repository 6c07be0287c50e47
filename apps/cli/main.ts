#!/usr/bin/env node
import { Exit } from './exit.js';
import { run } from './run.js';

// A reader that closes the pipe early (head) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : Exit.fault));

// Nothing is left to wait for, and the work is not done: Node would end without a word.
const unfinished = () => {
  console.error('mvs: the command ended before its work was done');
  process.exit(Exit.fault);
};
process.once('beforeExit', unfinished);
const { env, stdin, stdout, stderr } = process;
process.exitCode = await run(process.argv.slice(2), { env, stdin, stdout, stderr });
process.off('beforeExit', unfinished);
