import { type TProperties, type TSchemaOptions, Type } from 'typebox';
import type { CatalogueEntry } from '#domain/catalogue-entry';
import { shapes } from '#domain/shapes';
import { lotShapes } from '#lots/event-shapes';
import { lotScorerShapes } from '#lots/events-scorer';
import { catalogue } from './catalogue.js';

/** docs/reference/events.md, whole. */
export function renderCatalogue(): string {
  const table = (members: TProperties) => [
    '| field | meaning |',
    '|---|---|',
    ...Object.entries(members).map(
      ([name, schema]) =>
        `| \`${name}\`${Type.IsOptional(schema) ? ' (optional)' : ''} | ${(schema as TSchemaOptions).description} |`,
    ),
  ];
  const entries = Object.entries<CatalogueEntry>(catalogue);
  return [
    '# Events',
    '',
    'The events of the log. Written from `libs/catalogue/catalogue.ts` by `npm run generate`; a test compares.',
    '',
    'Each event has an id, a type, the version of its data, the stream and revision it stands at, a position in the',
    'log, a time and metadata (`correlationId`: the request; `causationId`: the event it follows from). Older versions',
    'are lifted to the newest when read (`libs/catalogue/upcast.ts`). Names in streams are percent-encoded, `-` included.',
    'No event holds a spectrum.',
    '',
    'An event has exactly the members listed here, and none of them is null unless it says so. Anything else is',
    'refused at the append; where it stands in an older log, `mvs events verify` reports it and nothing obeys it.',
    '',
    '| event | version | stream | when |',
    '|---|---|---|---|',
    ...entries.map(
      ([type, { version, stream, when }]) =>
        `| [${type}](#${type.toLowerCase()}) | ${version} | \`${stream}\` | ${when} |`,
    ),
    '',
    ...entries.flatMap(([type, { schema }]) => [`## ${type}`, '', ...table(schema.properties), '']),
    '# Shapes',
    '',
    ...Object.entries({ ...shapes, ...lotShapes, ...lotScorerShapes }).flatMap(([name, members]) => [
      `## ${name}`,
      '',
      ...table(members),
      '',
    ]),
  ].join('\n');
}
