/** The client's types are what the OpenAPI document says (UPDATE_DOCS=1 npm test -- client writes them). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { compile } from 'json-schema-to-typescript';
import { contract } from '../../apps/server/test/contract.js';
import { root } from './packed.js';
import { pythonContract } from './python-contract.js';

const BANNER = '/* Generated from the OpenAPI document: UPDATE_DOCS=1 npm test -- client */';

it('has the types of the contract', async () => {
  const text = JSON.stringify(contract.components!.schemas).replaceAll('#/components/schemas/', '#/definitions/');
  const types = await compile({ definitions: JSON.parse(text) }, 'Contract', {
    additionalProperties: false,
    bannerComment: BANNER,
    unreachableDefinitions: true,
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 120 },
  });
  const generated = types
    .replace(/export interface Contract \{[^}]*\}\n/, '')
    .replace(/\n *\/\*\*\n[^/]*This interface was referenced[^/]*\*\//g, '');
  const file = join(root, 'packages/client/src/generated/contract.ts');
  if (process.env.UPDATE_DOCS) writeFileSync(file, generated);
  expect(readFileSync(file, 'utf8')).toBe(generated);
});

it('has the types and the methods of the contract in Python too', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const generated = pythonContract(contract, version);
  const file = join(root, 'clients/python/match_verification/_contract.py');
  if (process.env.UPDATE_DOCS) writeFileSync(file, generated);
  expect(readFileSync(file, 'utf8')).toBe(generated);
});
