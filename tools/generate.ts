/** `npm run generate`: writes what is generated and committed; with `built`, what the build makes. Says what changed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { builtFiles, committedFiles } from './generated.js';

const files = process.argv[2] === 'built' ? await builtFiles() : await committedFiles();
for (const [file, text] of Object.entries(files)) {
  // A file that stays as it is keeps its time, and the compiler skips it.
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`written: ${file}`);
}
