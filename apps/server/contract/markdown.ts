/** The contract as Markdown, for those who read it where no browser is. */
import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  $ref?: string;
  type?: string | string[];
  items?: Schema;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  format?: string;
}

interface Operation {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema; example?: unknown }> }>;
}

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);
const linked = ($ref: string) => `[${nameOf($ref)}](#${nameOf($ref).toLowerCase()})`;
/** In a cell of a table. */
const cell = (text = '') => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');

function typeOf(schema: Schema = {}): string {
  if (schema.$ref) return linked(schema.$ref);
  const some = schema.oneOf ?? schema.anyOf ?? schema.allOf?.filter(({ $ref }) => $ref);
  if (some) return some.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  const { minimum, maximum, maxLength, format } = schema;
  const bounds = [
    format,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ];
  return [[schema.type ?? 'any'].flat().join(' or '), ...bounds.filter(Boolean)].join(', ');
}

function tableOf(head: string, rows: [name: string, schema: Schema | undefined, required: boolean, text?: string][]) {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ([name, schema, required, text]) =>
      `| \`${name}\`${required ? '' : ', optional'} | ${cell(typeOf(schema))} | ${cell(text ?? schema?.description)} |`,
  );
  return `| ${head} | Type | Meaning |\n|---|---|---|\n${lines.join('\n')}\n`;
}

const membersOf = ({ properties = {}, required = [] }: Schema) =>
  tableOf(
    'Member',
    Object.entries(properties).map(([name, schema]) => [name, schema, required.includes(name)]),
  );

const fenced = (lang: string, text: string) => `\`\`\`${lang}\n${text}\n\`\`\`\n`;
const inText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function operationOf(method: string, path: string, operation: Operation): string {
  const { summary = '', description = '', security = [], parameters = [], requestBody, responses } = operation;
  const example = Object.values(responses).flatMap(({ content = {} }) => Object.values(content))[0]?.example;
  const schemes = security.map((ways) => Object.keys(ways).join(' and ')).filter(Boolean);
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => `${type}: ${typeOf(schema)}`);
  const answers = Object.entries(responses).map(([status, { description: text = '', content = {} }]) => {
    const [answered] = Object.values(content);
    return `| ${status} | ${answered ? cell(typeOf(answered.schema)) : ''} | ${cell(text)} |`;
  });
  return [
    `### ${summary}\n\n\`${method.toUpperCase()} ${path}\`\n`,
    description && `${description}\n`,
    schemes.length > 0 && `Credential: ${schemes.join(', or ')}.\n`,
    tableOf(
      'Parameter',
      parameters.map(({ name, required = false, schema, description: text }) => [name, schema, required, text]),
    ),
    bodies.length > 0 && `Body: ${bodies.join('; ')}.\n`,
    `| Status | Answer | Meaning |\n|---|---|---|\n${answers.join('\n')}\n`,
    example !== undefined &&
      `Answer, shortened:\n\n${fenced(typeof example === 'string' ? 'text' : 'json', inText(example))}`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** @param document OpenAPI 3.1 */
export function markdownOf({ info, tags = [], paths, components }: OpenAPIObject): string {
  const operations = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const sections = tags.map(({ name, description = '', ...tag }) => {
    const title = 'x-displayName' in tag ? tag['x-displayName'] : name;
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    const texts = own.map(({ method, path, operation }) => operationOf(method, path, operation));
    return `## ${title}\n\n${description}\n\n${texts.join('\n')}`;
  });
  const schemas = Object.entries((components?.schemas ?? {}) as Record<string, Schema>).map(
    ([name, schema]) => `### ${name}\n\n${membersOf(schema) || `${typeOf(schema)}\n`}`,
  );
  return `# ${info.title} ${info.version}\n\n${info.description}\n\n${sections.join('\n')}\n## Shapes\n\n${schemas.join('\n')}`;
}
