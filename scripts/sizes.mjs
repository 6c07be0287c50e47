// Holds the rooms of libs/ and the files of the product to the sizes in layers.json.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
for (const fault of [...faults, ...unused.map((path) => `layers.json names ${path}, which is not there`)])
  console.error(fault);
process.exitCode = faults.length + unused.length > 0 ? 1 : 0;
