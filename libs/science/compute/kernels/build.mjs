// Compiles the AssemblyScript kernels of this folder to dist/libs/science/compute/kernels/*.wasm; skips those that are up to date.
// Their common code is in shared/.
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..', '..');
const target = join(root, 'dist', relative(root, here));
const options = ['-O3', '--noAssert', '--runtime', 'minimal', '--enable', 'simd', '--maximumMemory', '65536'];

export async function buildKernels() {
  const shared = readdirSync(join(here, 'shared')).map((name) => join(here, 'shared', name));
  const written = Math.max(...[fileURLToPath(import.meta.url), ...shared].map((file) => statSync(file).mtimeMs));
  const stale = readdirSync(here)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ source: join(here, name), output: join(target, `${basename(name, '.ts')}.wasm`) }))
    .filter(({ source, output }) => !existsSync(output) || statSync(output).mtimeMs < Math.max(written, statSync(source).mtimeMs));
  if (stale.length === 0) return;
  mkdirSync(target, { recursive: true });
  const { default: asc } = await import('assemblyscript/asc');
  for (const { source, output } of stale) {
    const { error, stderr } = await asc.main([relative(root, source), '-o', relative(root, output), ...options], { baseDir: root });
    if (error) throw new Error(`${relative(root, source)} does not compile:\n${stderr.toString()}`);
  }
}
