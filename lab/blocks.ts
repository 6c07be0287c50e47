import { readFileSync, writeFileSync } from 'node:fs';

/** Mark the text of a command on a page, so that the command can write it again. */
const begin = (name: string) => `<!-- ${name} -->`;
const end = (name: string) => `<!-- /${name} -->`;

/** Writes a page's block of this name again. @throws where the page has none */
export function writeBlock(page: string, name: string, text: string): void {
  const before = readFileSync(page, 'utf8');
  const [from, to] = [before.indexOf(begin(name)), before.indexOf(end(name))];
  if (from < 0 || to < from) throw new Error(`${page} has no block "${name}": ${begin(name)} ... ${end(name)}`);
  writeFileSync(page, `${before.slice(0, from + begin(name).length)}\n\n${text.trim()}\n\n${before.slice(to)}`);
}
