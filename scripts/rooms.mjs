// Finds rooms that import each other in a circle, by values or by types. A room is a folder of libs/ (of libs/kit and
// libs/science: a folder in it), a program of apps/, or another folder of the root.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Imports as the formatter leaves them: `from 'x'`, `import 'x'`, `import('x')`. */
const IMPORT = /^(?:import|export)\b[^;']*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'/gm;
const importsOf = (path) => [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, a, b, c]) => a ?? b ?? c);

const aliases = Object.entries(JSON.parse(readFileSync('package.json', 'utf8')).imports).map(([name, { source }]) => ({
  name,
  source,
}));
function sourceOf(specifier) {
  const exact = aliases.find(({ name }) => name === specifier);
  if (exact) return exact.source;
  const prefixed = aliases
    .filter(({ name }) => name.endsWith('*') && specifier.startsWith(name.slice(0, -1)))
    .sort((a, b) => b.name.length - a.name.length)[0];
  return prefixed?.source.replace('*', specifier.slice(prefixed.name.length - 1));
}

function namesOf(from, specifier) {
  const path = join(specifier.startsWith('.') ? join(dirname(from), specifier) : (sourceOf(specifier) ?? ''));
  return [path, path.replace(/[.]js$/, '.ts'), path.replace(/[.]js$/, '.tsx')];
}

function roomOf(path) {
  const parts = path.split('/');
  if (parts[0] === 'apps') return parts.slice(0, 2).join('/');
  if (parts[0] !== 'libs') return parts[0];
  return parts.slice(0, ['kit', 'science'].includes(parts[1]) && parts.length > 3 ? 3 : 2).join('/');
}

/** Pairs of rooms, the first of which imports the second and is reached from it again: no pair, no circle. */
export function circlesOf(files) {
  const known = new Set(files);
  const imported = new Map();
  for (const from of files)
    for (const specifier of importsOf(from)) {
      const to = namesOf(from, specifier).find((path) => known.has(path));
      if (to === undefined || roomOf(from) === roomOf(to)) continue;
      imported.set(roomOf(from), (imported.get(roomOf(from)) ?? new Set()).add(roomOf(to)));
    }
  const reachedFrom = (room) => {
    const seen = new Set();
    const todo = [room];
    for (let next = todo.pop(); next !== undefined; next = todo.pop())
      for (const to of imported.get(next) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          todo.push(to);
        }
    return seen;
  };
  const reached = new Map([...imported.keys()].map((room) => [room, reachedFrom(room)]));
  return [...imported].flatMap(([from, rooms]) =>
    [...rooms].filter((to) => reached.get(to)?.has(from)).map((to) => [from, to]),
  );
}
