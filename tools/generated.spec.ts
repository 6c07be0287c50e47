import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { committedFiles } from './generated.js';

it.each(Object.entries(committedFiles()))('%s is as `npm run generate` writes it', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});
