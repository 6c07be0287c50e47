/** What is generated and committed, by the path of its file. */
import { readFileSync } from 'node:fs';
import { contract } from './built.js';
import { renderCatalogue } from './catalogue-page.js';
import { commandsPage, configuration, errors, verifierSums, withSums } from './pages.js';
import { pythonContract } from './python-contract.js';

/** Committed: pages for readers who have no build, and the Python client, which pip takes from the clone as it is. */
export async function committedFiles(): Promise<Record<string, string>> {
  const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const programs = 'docs/audit/programs.md';
  const sums = verifierSums('docs/audit');
  return {
    'docs/audit/SHA256SUMS': sums,
    [programs]: withSums(readFileSync(programs, 'utf8'), sums),
    'docs/reference/cli.md': await commandsPage(),
    'docs/reference/configuration.md': configuration,
    'docs/reference/errors.md': errors,
    'docs/reference/events.md': renderCatalogue(),
    'clients/python/match_verification/_contract.py': pythonContract(contract, json('package.json').version),
  };
}
