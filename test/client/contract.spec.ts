/** The client's types and methods are what the OpenAPI document says (UPDATE_DOCS=1 npm test -- client writes the types). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { compile } from 'json-schema-to-typescript';
import { contract } from '../../apps/server/test/contract.js';
import { root } from './packed.js';
import { pythonContract } from './python-contract.js';

const BANNER = '/* Generated from the OpenAPI document: UPDATE_DOCS=1 npm test -- client */';
const source = join(root, 'packages/client/src');
const generated = join(source, 'generated');

interface Parameter {
  in: string;
  name: string;
  description?: string;
  schema: object;
}
interface OperationObject {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
}

const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, OperationObject>).map(([method, one]) => ({ path, method, ...one })),
);

const options = {
  additionalProperties: false,
  bannerComment: BANNER,
  unreachableDefinitions: true,
  ignoreMinAndMaxItems: true,
  style: { singleQuote: true as const, printWidth: 120 },
};

function holds(path: string, text: string): void {
  if (process.env.UPDATE_DOCS) writeFileSync(path, text);
  expect(readFileSync(path, 'utf8')).toBe(text);
}

it('has the types of the contract', async () => {
  const text = JSON.stringify(contract.components!.schemas).replaceAll('#/components/schemas/', '#/definitions/');
  const types = await compile({ definitions: JSON.parse(text) }, 'Contract', options);
  const withoutNames = types
    .replace(/export interface Contract \{[^}]*\}\n/, '')
    .replace(/\n *\/\*\*\n[^/]*This interface was referenced[^/]*\*\//g, '');
  holds(join(generated, 'contract.ts'), withoutNames);
});

it('has the operations of the contract, with what may be asked of each', async () => {
  const credentials: Record<string, string> = { apiKey: 'client', operator: 'operator', workspace: 'workspace' };
  const rows = operations.map(({ operationId, method, path, security }) => {
    const credential = credentials[Object.keys(security?.[0] ?? {})[0] ?? ''];
    return `  ${operationId}: ['${method.toUpperCase()}', '${path}', ${credential ? `'${credential}'` : 'undefined'}],\n`;
  });
  const asked = (parameters: Parameter[] = []) => parameters.filter((one) => one.in === 'query');
  const properties = Object.fromEntries(
    operations
      .filter(({ parameters }) => asked(parameters).length > 0)
      .map(({ operationId, parameters }) => {
        const members = asked(parameters).map(({ name, description, schema }) => [name, { ...schema, description }]);
        return [operationId, { type: 'object' as const, properties: Object.fromEntries(members) }];
      }),
  );
  const queries = await compile({ type: 'object', properties, required: Object.keys(properties) }, 'Queries', options);
  holds(
    join(generated, 'operations.ts'),
    `${queries}
/** Method, path and credential of each operation. */
export const OPERATIONS = {
${rows.join('')}} as const;

export type Operation = keyof typeof OPERATIONS;

/** What may be asked of a listing. */
export type Query<O extends keyof Queries> = Queries[O];
`,
  );
});

it('has a method for every operation', () => {
  const client = readFileSync(join(source, 'client.ts'), 'utf8');
  const called = [...client.matchAll(/#(?:call|list|transport\.send)(?:<[^(]*>)?\(\s*'(\w+)'/g)].map(
    ([, name]) => name,
  );
  expect([...new Set(called)].sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
});

it('has the types and the methods of the contract in Python too', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  holds(join(root, 'clients/python/match_verification/_contract.py'), pythonContract(contract, version));
});
