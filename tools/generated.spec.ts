import { readFileSync } from 'node:fs';
import { committedFiles } from './generated.js';

it.each(Object.entries(await committedFiles()))('%s is as `npm run generate` writes it', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('the TypeScript client has one type of a name: none is told apart by a number', () => {
  const types = readFileSync('packages/client/src/generated/contract.ts', 'utf8').matchAll(/^export \w+ (\w+)/gm);
  const names = Array.from(types, ([, name]) => name);
  expect(names).toContain('Overview');
  expect(names.filter((name) => /\d$/.test(name))).toEqual([]);
});
