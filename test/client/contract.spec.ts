/** The TypeScript client against the OpenAPI document, which its types are made of by the build. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contract } from '../../tools/built.js';
import { operationsOf } from '../../tools/client-contract.js';
import { root } from './packed.js';

it('has a method for every operation', () => {
  const client = readFileSync(join(root, 'packages/client/src/client.ts'), 'utf8');
  const called = [...client.matchAll(/#(?:call|list|transport\.send)(?:<[^(]*>)?\(\s*'(\w+)'/g)].map(
    ([, name]) => name,
  );
  expect([...new Set(called)].sort()).toEqual(
    operationsOf(contract)
      .map(({ operationId }) => operationId)
      .sort(),
  );
});
