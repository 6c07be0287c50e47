// Verifies an unpacked audit bundle: node verify.mjs [root digest] [--continues chain root], in its folder. Needs nothing
// but Node. Exits 0 and prints OK; 1 and what differs; 2 when it cannot read. method.md is the definition of the figures.
import { parseArgs } from 'node:util';
import { Differs, verify } from './verify/bundle.mjs';
import { folderFiles, onThreads, sha256 } from './verify/node.mjs';

function digest(text) {
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text)) throw new Error('a root is a digest of 64 hex digits');
  return text?.toLowerCase();
}

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { continues: { type: 'string' } } });
  if (positionals.length > 1) throw new Error('the arguments are a root digest and --continues with a chain root');
  const [root, continues] = [digest(positionals[0]), digest(values.continues)];
  const files = await folderFiles('.');
  if (!files.sizes.has('manifest.json')) throw new Error('there is no manifest.json here');
  const found = await verify(files, sha256, { root, continues, score: onThreads((line) => console.error(line)) });
  console.log('OK');
  console.error(`root digest ${found.root}\nchain root ${found.chain}`);
}

main().catch((error) => {
  if (error instanceof Differs) console.log(error.message);
  else console.error(`cannot read: ${error.message}`);
  process.exitCode = error instanceof Differs ? 1 : 2;
});
