/** The TypeScript client's types and operations, out of the OpenAPI document. */
import type { OpenAPIObject } from '@nestjs/swagger';
import { compile } from 'json-schema-to-typescript';

interface Parameter {
  in: string;
  name: string;
  description?: string;
  schema: object;
}
interface OperationObject {
  operationId: string;
  security?: Record<string, unknown>[];
  'x-repeatable'?: true;
  parameters?: Parameter[];
}

const options = {
  additionalProperties: false,
  bannerComment: '/* Generated from the OpenAPI document by the build (tools/client-contract.ts). */',
  unreachableDefinitions: true,
  ignoreMinAndMaxItems: true,
  style: { singleQuote: true as const, printWidth: 120 },
};

export const operationsOf = (contract: OpenAPIObject) =>
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, OperationObject>).map(([method, one]) => ({ path, method, ...one })),
  );

export async function contractTypes(contract: OpenAPIObject): Promise<string> {
  const text = JSON.stringify(contract.components!.schemas).replaceAll('#/components/schemas/', '#/definitions/');
  const types = await compile({ definitions: JSON.parse(text) }, 'Contract', options);
  return types
    .replace(/export interface Contract \{[^}]*\}\n/, '')
    .replace(/\n *\/\*\*\n[^/]*This interface was referenced[^/]*\*\//g, '');
}

/** In a query a flag is a word; whoever writes a program has a boolean. */
const isFlag = (schema: object) => 'enum' in schema && [schema.enum].flat().join() === 'true,false';

export async function contractOperations(contract: OpenAPIObject): Promise<string> {
  const operations = operationsOf(contract);
  const credentials: Record<string, string> = { apiKey: 'client', operator: 'operator', workspace: 'workspace' };
  const rows = operations.map(({ operationId, method, path, security, 'x-repeatable': again = method !== 'post' }) => {
    const credential = credentials[Object.keys(security?.[0] ?? {})[0] ?? ''];
    const row = [`'${method.toUpperCase()}'`, `'${path}'`, credential && `'${credential}'`];
    // Said where the method does not: the client is small.
    if (again !== (method !== 'post')) row.push(`${again}`);
    while (row.at(-1) === undefined) row.pop();
    return `  ${operationId}: [${row.map((one) => one ?? 'undefined').join(', ')}],\n`;
  });
  const asked = (parameters: Parameter[] = []) => parameters.filter((one) => one.in === 'query');
  const properties = Object.fromEntries(
    operations
      .filter(({ parameters }) => asked(parameters).length > 0)
      .map(({ operationId, parameters }) => {
        const members = asked(parameters).map(({ name, description, schema }) => [
          name,
          isFlag(schema)
            ? { type: ['boolean', 'string'], enum: [true, false, 'true', 'false'], description }
            : { ...schema, description },
        ]);
        return [operationId, { type: 'object' as const, properties: Object.fromEntries(members) }];
      }),
  );
  const queries = await compile({ type: 'object', properties, required: Object.keys(properties) }, 'Queries', options);
  return `${queries}
/** Whether sending it twice does no more than sending it once is said where its method does not say so. */
export type OperationRow = readonly [
  method: string,
  path: string,
  credential?: 'client' | 'operator' | 'workspace',
  repeatable?: boolean,
];

export const OPERATIONS = {
${rows.join('')}} as const satisfies Record<string, OperationRow>;

export type Operation = keyof typeof OPERATIONS;

/** The query of each listing. */
export type Query<O extends keyof Queries> = Queries[O];
`;
}
