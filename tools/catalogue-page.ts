import { type TProperties, type TSchemaOptions, Type } from 'typebox';
import { catalogue } from '#catalogue/catalogue';
import type { CatalogueEntry } from '#domain/catalogue-entry';
import { shapes } from '#domain/shapes';
import { lotShapes } from '#lots/event-shapes';
import { lotScorerShapes } from '#lots/events-scorer';

/** docs/reference/events.md, whole. */
export function renderCatalogue(): string {
  const entries = Object.entries<CatalogueEntry>(catalogue);
  const shown = Object.entries({ ...shapes, ...lotShapes, ...lotScorerShapes });
  const common = commonLines([...entries.map(([, { schema }]) => schema.properties), ...shown.map(([, of]) => of)]);
  const list = (members: TProperties) => {
    const own = linesOf(members).filter(({ line }) => !common.has(line));
    const others = linesOf(members).filter(({ line }) => common.has(line));
    const also = others.map(({ name }) => `\`${name}\``).join(', ');
    return [...own.map(({ line }) => line), ...(also ? [...(own.length > 0 ? [''] : []), `Also: ${also}.`] : [])];
  };
  return [
    '# Events',
    '',
    'The events of the log. Written from `libs/catalogue/catalogue.ts` by `npm run generate`.',
    '',
    'Each event has an id, a type, the version of its data, its stream and revision, a position in the log, a time and',
    'metadata (`correlationId`: the request; `causationId`: the event it follows from). Older versions are upcasted to the',
    'newest when read (`libs/catalogue/upcast.ts`). Names in streams are percent-encoded, `-` included. No event holds a spectrum.',
    '',
    'An event has exactly the members listed here, and a member may be null only where it says so. Anything else is refused',
    'at the append; in an older log `mvs events verify` reports it and it has no effect.',
    '',
    '# Members of several events',
    '',
    'Events and shapes name these after *Also*.',
    '',
    ...common,
    '',
    ...entries.flatMap(([type, { version, stream, when, schema }]) => [
      `## ${type}`,
      '',
      `Version ${version}, \`${stream}\`: ${when}.`,
      '',
      ...list(schema.properties),
      '',
    ]),
    '# Shapes',
    '',
    ...shown.flatMap(([name, members]) => [`## ${name}`, '', ...list(members), '']),
  ].join('\n');
}

function linesOf(members: TProperties): { name: string; line: string }[] {
  return Object.entries(members).map(([name, schema]) => {
    const optional = Type.IsOptional(schema) ? ' (optional)' : '';
    return { name, line: `- \`${name}\`${optional}: ${(schema as TSchemaOptions).description}` };
  });
}

/** Lines that at least two events or shapes have; where a name has several such lines, the most frequent one. */
function commonLines(all: TProperties[]): Set<string> {
  const times = new Map<string, number>();
  const lines = all.flatMap(linesOf);
  for (const { line } of lines) times.set(line, (times.get(line) ?? 0) + 1);
  const chosen = new Map<string, string>();
  for (const { name, line } of lines)
    if (times.get(line)! >= 2 && times.get(line)! > (times.get(chosen.get(name) ?? '') ?? 0)) chosen.set(name, line);
  return new Set(chosen.values());
}
