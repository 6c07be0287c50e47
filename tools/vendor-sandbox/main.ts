/** npm run vendor-sandbox: the stand-in for the vendor, for integrators and tests. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Papa from 'papaparse';
import { readVariables, SANDBOX_VARIABLES, VENDOR_VARIABLES } from '#config/environment';
import { refuseUnknownNames } from '#config/names';
import { type CatalogueEntry, FAULTS, isFault, SANDBOX_SECRET, Sandbox } from './sandbox.js';

const HELP = `Serves the vendor's two lookups on a loopback address.

  npm run vendor-sandbox -- [--fault NAME]

  PORT                    port (default ${SANDBOX_VARIABLES.port.fallback})
  MVS_SANDBOX_CATALOGUE   .json or .csv with barcode, stoneId, provenanceId (default: four made-up stones)
  MVS_SANDBOX_KEY         secret-key that is asked for (default: that of MVS_VENDOR_KEY, else ${SANDBOX_SECRET})

Faults, of every answer (--fault) or of one request (header x-sandbox-fault):
${Object.entries(FAULTS)
  .map(([name, text]) => `  ${name.padEnd(10)} ${text}`)
  .join('\n')}`;

function readCatalogue(path: string): CatalogueEntry[] {
  const text = readFileSync(path, 'utf8');
  const rows: unknown = path.endsWith('.json')
    ? JSON.parse(text)
    : Papa.parse(text, { header: true, skipEmptyLines: true }).data;
  const members = ['barcode', 'stoneId', 'provenanceId'] as const;
  const fits = (row: unknown): row is CatalogueEntry =>
    typeof row === 'object' &&
    row !== null &&
    members.every((name) => typeof row[name as keyof typeof row] === 'string');
  if (!Array.isArray(rows) || rows.length === 0 || !rows.every(fits))
    throw new Error(`${path}: it needs stones, and each entry needs ${members.join(', ')}`);
  return rows;
}

try {
  const { values } = parseArgs({ options: { fault: { type: 'string' }, help: { type: 'boolean' } } });
  const { fault } = values;
  if (fault !== undefined && !isFault(fault))
    throw new Error(`--fault must be one of ${Object.keys(FAULTS).join(', ')}`);
  if (values.help) console.log(HELP);
  else {
    refuseUnknownNames(process.env);
    const { port, catalogue: file, secret: own } = readVariables(SANDBOX_VARIABLES, process.env);
    const secret = own || readVariables(VENDOR_VARIABLES, process.env).secret || SANDBOX_SECRET;
    const catalogue = file ? readCatalogue(file) : undefined;
    const sandbox = await Sandbox.start({ port, secret, catalogue, fault });
    console.log(`The vendor's stand-in serves on ${sandbox.url}\n`);
    console.log(`  MVS_VENDOR_URL=${sandbox.url} MVS_VENDOR_KEY=... ./mvs vendor barcode 100002`);
    console.log(
      '\nIts secret-key is that of MVS_SANDBOX_KEY, else of MVS_VENDOR_KEY, else the word sandbox. Ctrl-C ends it.',
    );
  }
} catch (error) {
  console.error(`vendor-sandbox: ${(error as Error).message}`);
  process.exitCode = 3;
}
