// Holds rooms, files and the whole product to the sizes in layers.json, and rooms to importing each other in no circle.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { circlesOf } from './rooms.mjs';

const { layers, sizes } = JSON.parse(readFileSync('layers.json', 'utf8'));
const rooms = Object.keys(layers.find((layer) => 'libs/claims' in layer));
const NO_PRODUCT = /[.]spec[.]tsx?$|[.]d[.]ts$|\/(test|generated|node_modules)\//;
const files = ['apps', 'config', 'lab', 'libs', 'packages', 'tools'].flatMap((root) =>
  readdirSync(root, { recursive: true })
    .map((name) => join(root, name))
    .filter((path) => /[.]tsx?$/.test(path) && !NO_PRODUCT.test(path)),
);
const linesOf = (path) => readFileSync(path, 'utf8').split('\n').length - 1;
const lines = new Map(files.map((path) => [path, linesOf(path)]));
for (const room of rooms) {
  const within = files.filter((path) => path.startsWith(`${room}/`));
  lines.set(
    room,
    within.reduce((sum, path) => sum + lines.get(path), 0),
  );
}
const faults = [...lines].flatMap(([path, count]) => {
  const most = sizes.larger[path]?.lines ?? (rooms.includes(path) ? sizes.room : sizes.file);
  return count > most ? [`${path} has ${count} lines, ${most} at most`] : [];
});
const unused = Object.keys(sizes.larger).filter((path) => !lines.has(path));
/** Committed code of what ships, without tests, the console and the contract's examples. */
const product = execFileSync('git', ['ls-files', 'apps', 'libs', 'packages', 'config'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /[.](tsx?|mjs|cjs|js|py)$/.test(path) && !/[.]spec[.]|\/test\/|contract\/examples[.]ts$/.test(path))
  .filter((path) => !path.startsWith('apps/console/') && existsSync(path))
  .reduce((sum, path) => sum + linesOf(path), 0);
if (product > sizes.product) faults.push(`the product has ${product} lines, ${sizes.product} at most`);
const circles = circlesOf(files);
if (circles.length > sizes.circles)
  faults.push(
    `${circles.length} imports between rooms stand in a circle, ${sizes.circles} at most:`,
    ...circles.map(([from, to]) => `  ${from} imports ${to}`),
  );
for (const fault of [...faults, ...unused.map((path) => `layers.json names ${path}, which is not there`)])
  console.error(fault);
process.exitCode = faults.length + unused.length > 0 ? 1 : 0;
