/**
 * Names the sources in stack traces of bundled programs, which import this first. Node's own --enable-source-maps reads every map
 * at the start; here a map is read at the first error whose stack somebody looks at.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    let map: SourceMap | undefined;
    try {
      map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
    } catch {
      // A file without a map is named itself.
    }
    maps.set(file, map);
  }
  return maps.get(file);
}

function sourceAt(place: string, file: string, line: string, column: string): string {
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!entry || !('originalSource' in entry)) return place;
  return `${new URL(entry.originalSource, file)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

Error.prepareStackTrace = (error, frames) =>
  [error, ...frames]
    .map((line, i) => (i === 0 ? String(line) : `    at ${line}`.replace(/(file:.+?):(\d+):(\d+)/, sourceAt)))
    .join('\n');
