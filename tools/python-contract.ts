/** The Python client's types and methods, out of the OpenAPI document. */
import type { OpenAPIObject } from '@nestjs/swagger';

type Schema = Record<string, unknown> & {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  description?: string;
};
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}
interface Operation {
  operationId: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  security?: Record<string, unknown>[];
  'x-repeatable'?: true;
}

/** Written by hand in the client: they send files, or many items in several calls, or read what goes on. */
export const BY_HAND = ['verifyMatch', 'labelClaims', 'enrolLot', 'checkLot', 'streamClaims'];
const KEYWORDS = ['from', 'as', 'in', 'is', 'not', 'class', 'global', 'return', 'None'];

const HEAD = `"""Types and methods of the contract. Generated from the OpenAPI document by npm run generate"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote

`;

export function pythonContract(contract: OpenAPIObject, version: string): string {
  const { paths, components } = contract as OpenAPIObject & {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { operationId }]) => !BY_HAND.includes(operationId))
      .map(([method, operation]) => methodOf(path, method.toUpperCase(), operation, components.schemas)),
  );
  return [
    `${HEAD}CONTRACT_VERSION = ${JSON.stringify(version)}\n"""Of the service that this was generated from."""\n`,
    ...Object.entries(components.schemas).map(([name, schema]) => typeOf(name, schema)),
    `class Operations:\n    """The service's operations. \`_send\` and \`_pages\` are the client's."""\n`,
    `    def _send(self, method: str, path: str, **more: Any) -> Any:\n        raise NotImplementedError\n`,
    `    def _pages(self, path: str, **more: Any) -> Iterator[Any]:\n        raise NotImplementedError\n`,
    ...methods,
  ].join('\n');
}

function typeOf(name: string, schema: Schema): string {
  const { properties, required = [] } = schema;
  if (!properties) return `\n${name} = ${pythonType(schema)}\n`;
  const members = Object.entries(properties).map(([member, of]) => {
    const type = pythonType(of);
    return `    ${JSON.stringify(member)}: ${required.includes(member) ? type : `NotRequired[${type}]`},\n`;
  });
  const text = `${name} = TypedDict(\n    ${JSON.stringify(name)},\n    {\n${members.map((member) => `    ${member}`).join('')}    },\n)`;
  const about = schema.description ? `\n${literalDoc(schema.description)}` : '';
  // Members of a functional TypedDict are evaluated at once: later ones stand as text.
  return `\n${text.replace(/: (.*),\n/g, (_, type: string) => `: ${quoted(type)},\n`)}${about}\n`;
}

const quoted = (type: string) => JSON.stringify(type);
const literalDoc = (text: string) => `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}"""`;

/** A schema as a type; what has no name of its own is a dict. */
export function pythonType(schema: Schema): string {
  const { $ref, type, oneOf, anyOf, allOf, items } = schema;
  if ($ref) return $ref.split('/').at(-1)!;
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum?.every((one) => one === 'true' || one === 'false')) return 'bool';
  // Literal takes no numbers with a point.
  if (schema.enum?.every((one) => typeof one === 'number')) return 'float';
  if (schema.enum) return union(schema.enum.map((one) => (one === null ? 'None' : `Literal[${literal(one)}]`)));
  const parts = oneOf ?? anyOf;
  if (parts) return union(parts.map(pythonType));
  if (allOf?.length === 1) return pythonType(allOf[0]);
  if (Array.isArray(type)) return union(type.map((one) => pythonType({ ...schema, type: one })));
  if (type === 'array') return `list[${items ? pythonType(items) : 'Any'}]`;
  const plain = { string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None' };
  return plain[type as keyof typeof plain] ?? 'dict[str, Any]';
}

const union = (types: string[]): string => {
  const literals = types.flatMap((type) => /^Literal\[(.*)\]$/.exec(type)?.[1] ?? []);
  const others = [...new Set(types.filter((type) => !type.startsWith('Literal[')))];
  return [...(literals.length > 0 ? [`Literal[${literals.join(', ')}]`] : []), ...others].join(' | ');
};
const literal = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** As an argument: `from` is `from_`, and the header `Idempotency-Key` is `idempotency_key`. */
const named = (name: string): string =>
  KEYWORDS.includes(name) ? `${name}_` : name.includes('-') ? name.toLowerCase().replaceAll('-', '_') : name;

/** Method name of an operation: `listClaims` is `list_claims`. */
export const methodName = (operationId: string): string => snake(operationId);

function methodOf(path: string, method: string, operation: Operation, schemas: Record<string, Schema>): string {
  const { operationId, summary = '', parameters = [], requestBody, responses, security } = operation;
  const inPath = parameters.filter((one) => one.in === 'path').map((one) => one.name);
  const ok = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const [media, { schema: answer }] = Object.entries(ok)[0] ?? ['', { schema: {} as Schema }];
  const items = answer.properties?.items?.items;
  const listing = answer.properties?.next_cursor && items;
  const counted = listing && answer.properties?.total !== undefined;
  // A walk through all pages has no use for where they begin, nor for their count.
  const ofPages = listing ? ['cursor', 'total'] : [];
  const asked = parameters.filter((one) => one.in === 'query');
  const queries = asked.filter((one) => !ofPages.includes(one.name));
  // All other headers are the client's own.
  const headers = parameters.filter((one) => one.in === 'header' && one.name === 'Idempotency-Key');
  const body = requestBody?.content['application/json']?.schema;
  const members = Object.entries(resolved(body, schemas)?.properties ?? {});
  const required = resolved(body, schemas)?.required ?? [];
  const ordered = [
    ...members.filter(([name]) => required.includes(name)),
    ...members.filter(([name]) => !required.includes(name)),
  ];
  const signature = [
    'self',
    ...inPath.map((name) => `${named(name)}: ${name === 'reject_target' ? 'float' : 'str'}`),
    ...(ordered.length + queries.length + headers.length > 0 ? ['*'] : []),
    ...ordered.map(([name, of]) =>
      required.includes(name)
        ? `${named(name)}: ${loose(pythonType(of))}`
        : `${named(name)}: ${optional(loose(pythonType(of)))} = None`,
    ),
    ...headers.map(parameterOf),
    ...queries.map(parameterOf),
  ];
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'reject_target' ? `{${name}:.2f}` : `{quote(${named(name)}, safe='')}`,
  );
  const dict = (names: string[]) =>
    names.length > 0 ? `{${names.map((name) => `${JSON.stringify(name)}: ${named(name)}`).join(', ')}}` : undefined;
  const more = [
    `as_=${JSON.stringify(Object.keys(security?.[0] ?? {})[0] ?? 'nobody')}`,
    ...(queries.length > 0 ? [`query=${dict(queries.map((one) => one.name))}`] : []),
    ...(headers.length > 0 ? [`headers=${dict(headers.map((one) => one.name))}`] : []),
    ...(body ? [`body=${dict(ordered.map(([name]) => name)) ?? '{}'}`] : []),
    ...(media === 'application/zip' || media.startsWith('image/') || media === 'application/pdf'
      ? ['accept="bytes"']
      : []),
    ...(media.startsWith('text/') ? ['accept="text"'] : []),
    ...(operation['x-repeatable'] ? ['repeatable=True'] : []),
  ].join(', ');
  const result = media.startsWith('text/')
    ? 'str'
    : media && media !== 'application/json'
      ? 'bytes'
      : pythonType(answer);
  const text = `${inPath.length > 0 ? 'f' : ''}${JSON.stringify(address)}`;
  const call = listing ? `self._pages(${text}, ${more})` : `self._send(${JSON.stringify(method)}, ${text}, ${more})`;
  const about = `${summary.replace(/[^?]$/, '$&.')} ${method} ${path}`;
  const whole = defined(
    methodName(operationId),
    signature,
    listing ? `Iterator[${pythonType(items)}]` : result,
    about,
    call,
  );
  if (!counted) return whole;
  const paged = [...signature.slice(0, signature.length - queries.length), ...asked.map(parameterOf)];
  const page = call
    .replace('self._pages(', 'self._send("GET", ')
    .replace(/query=\{.*?\}/, `query=${dict(asked.map((one) => one.name))}`);
  const onePage = `One page of it: items, next_cursor, and with total=True how many there are on all (total, total_exact). ${method} ${path}`;
  return `${whole}\n${defined(`${methodName(operationId)}_page`, paged, 'dict[str, Any]', onePage, page)}`;
}

const defined = (name: string, signature: string[], result: string, about: string, call: string) =>
  `    def ${name}(${signature.join(', ')}) -> ${result}:
        ${literalDoc(about)}
        return ${call}
`;
const parameterOf = ({ name, schema }: Parameter) => `${named(name)}: ${optional(loose(pythonType(schema)))} = None`;

const resolved = (schema: Schema | undefined, schemas: Record<string, Schema>): Schema | undefined =>
  schema?.$ref ? schemas[schema.$ref.split('/').at(-1)!] : schema;
/** An argument may be any sequence. */
const loose = (type: string) => type.replaceAll('list[', 'Sequence[');
const optional = (type: string) => (type.split(' | ').includes('None') ? type : `${type} | None`);
