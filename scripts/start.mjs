// npm start: from a fresh clone to a running service with three claims answered; then the console is built.
import { spawn } from 'node:child_process';
import { consoleIsBuilt } from '../apps/console/build.mjs';
import { prepare } from './prepare.mjs';

prepare('without-console');
await import('../dist/programs/lab/demo.js');
if (!consoleIsBuilt()) {
  console.log('> building the console; its page is there in less than a minute');
  const build = spawn(process.execPath, ['apps/console/build.mjs'], { stdio: 'inherit' });
  build.once('exit', (status) =>
    console.log(status === 0 ? '> the console is built' : '> the console cannot be built'),
  );
  process.once('exit', () => build.kill());
}
