// Verifies an audit bundle. Needs nothing but Node. method.md is the definition of the figures.
import { parseArgs } from 'node:util';

const HELP = `node verify.mjs [folder or zip] [root digest] [--key public key] [--continues chain root]

Verifies an audit bundle, by default the one in this folder. Prints OK and exits with 0; prints what differs and exits
with 1; exits with 2 where it cannot read. --key: the bundle must be signed by this key; a service shows its own at
GET /api/v1 (audit_keys). --continues: the decisions up to a chain root noted earlier must be the same.`;

function digest(text) {
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text)) throw new Error('roots and keys are 64 hex digits');
  return text?.toLowerCase();
}

/** Without its parts beside it, it has a sentence for that too. */
async function main() {
  const [{ Differs, remarksOf, verify }, { filesAt, onThreads, sha256 }] = await Promise.all(
    ['bundle', 'node'].map((part) => import(`./verify/${part}.mjs`)),
  );
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { continues: { type: 'string' }, key: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(HELP);
  // A folder may be named like a digest: ./ before it says so.
  const isDigest = /^[0-9a-f]{64}$/i.test(positionals.at(-1) ?? '');
  const root = digest(isDigest ? positionals.pop() : undefined);
  const [continues, key] = [digest(values.continues), digest(values.key)];
  if (positionals.length > 1)
    throw new Error('the arguments are a folder or zip, a root digest, --key KEY and --continues ROOT');
  try {
    const files = await filesAt(positionals[0] ?? '.');
    if (!files.sizes.has('manifest.json')) throw new Error('there is no manifest.json in it: this is no audit bundle');
    const found = await verify(files, sha256, {
      root,
      key,
      continues,
      score: onThreads((line) => console.error(line)),
    });
    console.log('OK');
    console.error(remarksOf(found).join('\n'));
  } catch (error) {
    if (!(error instanceof Differs)) throw error;
    console.log(error.message);
    process.exitCode = 1;
  }
}

main().catch((error) => {
  console.error(`cannot read: ${error.message}`);
  process.exitCode = 2;
});
