/** What every build makes, and nobody commits. It imports nothing that needs these files: they are made first. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { contractOperations, contractTypes } from './client-contract.js';
import { previewOf } from './preview.js';

export const contract = await previewOf('generated');

export async function builtFiles(): Promise<Record<string, string>> {
  return {
    'packages/client/src/generated/contract.ts': await contractTypes(contract),
    'packages/client/src/generated/operations.ts': await contractOperations(contract),
  };
}

/** Writes files by their paths, and says which changed. One that stays as it is keeps its time: the compiler skips it. */
export function writeFiles(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`written: ${file}`);
  }
}
