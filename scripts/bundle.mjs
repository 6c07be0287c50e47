// Bundles the programs of dist/ into dist/programs/: a start reads some files in place of nine hundred, which takes a third of the
// time. Tests run the modules themselves, and of programs the bundles.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { whereStale } from './stale.mjs';

export const PROGRAMS = join('dist', 'programs');
const KERNELS = join('dist', 'libs', 'science', 'compute', 'kernels');
/** Compiled modules of programs. */
const ROOMS = ['apps', 'config', 'lab', 'libs', 'packages'].map((room) => join('dist', room));
/** Names of the files of the last build. */
const STAMP = join(PROGRAMS, '.files');

/** Modules by the name of the file that they become. */
const ENTRIES = {
  server: 'apps/server/main',
  worker: 'apps/worker/main',
  'worker-health': 'apps/worker/health',
  mvs: 'apps/cli/main',
  'vendor-sandbox': 'tools/vendor-sandbox/main',
  'lab/demo': 'lab/demo',
  // For tests and benches.
  run: 'apps/server/run',
  service: 'apps/server/service',
};
/** First in every program and thread. */
const SOURCES = 'libs/kit/observe/sources';

/** Packages that have native parts, or look for files of their own, and what has to be one module with these. */
const OUTSIDE =
  /^(libsql|webgpu|gpu[.]js|bullmq|ioredis|pino|echarts|@eventstore[/]db-client|@grpc[/]grpc-js|google-protobuf)($|[/])/;

const built = (module) => resolve('dist', `${module}.js`);

/** Compiled modules with their source maps. Those named as a thread's module, or loaded where they are there, become entries. */
const compiled = {
  name: 'compiled',
  load(id) {
    if (!id.startsWith(resolve('dist'))) return null;
    const source = readFileSync(id, 'utf8');
    // Found by its text alone: one whose name is put together at run time would be missing from the bundle.
    if (/new URL\(`[^`]*[.]js`/.test(source)) this.error(`${id} has to name the module of its thread in one piece`);
    const code = source
      // TypeScript's `import x = require('./x.json')`.
      .replace(/^const (\w+) = __require\(("[.][^"]+[.]json")\);$/m, 'import $1 from $2;')
      .replace(/new URL\('([.][^']+[.]js)', import[.]meta[.]url\)/g, (_, path) => {
        const entry = this.emitFile({ type: 'chunk', id: resolve(dirname(id), path) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${entry})`;
      });
    return { code, map: existsSync(`${id}.map`) ? readFileSync(`${id}.map`, 'utf8') : undefined };
  },
};

/** The image has none of these. */
const ofLab = ({ moduleIds }) => moduleIds.some((id) => id.startsWith(resolve('dist/lab')));

function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else yield path;
  }
}

/** What starts when it is imported must be imported by nothing. */
function refuseImportedEntries(output) {
  const chunks = output.filter(({ type }) => type === 'chunk');
  const entries = new Set(
    chunks.filter(({ isEntry, name }) => isEntry && name !== 'sources').map(({ fileName }) => fileName),
  );
  for (const { fileName, imports, dynamicImports } of chunks)
    for (const imported of [...imports, ...dynamicImports])
      if (entries.has(imported)) throw new Error(`${fileName} would import ${imported}, and so start that program`);
}

async function write() {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: Object.fromEntries(Object.entries({ ...ENTRIES, sources: SOURCES }).map(([name, at]) => [name, built(at)])),
    platform: 'node',
    external: OUTSIDE,
    plugins: [compiled],
    treeshake: { moduleSideEffects: [{ test: /[/\\]dist[/\\](libs|config|packages)[/\\]/, sideEffects: false }] },
    onLog(level, log, handle) {
      // Frameworks load what may be there or not.
      const optional = log.code === 'UNRESOLVED_IMPORT' && log.message.includes('node_modules');
      if (!optional) handle(level, log);
    },
  });
  const { output } = await build.write({
    dir: PROGRAMS,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    // V8 compiles what has no blanks in 13% less time.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: (chunk) => `${ofLab(chunk) ? 'lab/' : ''}[name]-[hash].js`,
    banner: (chunk) =>
      chunk.isEntry && chunk.name !== 'sources' ? `import '${ofLab(chunk) ? '../' : './'}sources.js';` : '',
  });
  await build.close();
  refuseImportedEntries(output);
  return output.map(({ fileName }) => fileName);
}

/** Bundles where something changed. A program that runs may still load the files of the build before. */
export const bundle = () =>
  whereStale(STAMP, [...ROOMS, 'package-lock.json', 'scripts/bundle.mjs'], async () => {
    const before = existsSync(STAMP) ? readFileSync(STAMP, 'utf8').split('\n') : [];
    const files = await write();
    mkdirSync(join(PROGRAMS, 'kernels'), { recursive: true });
    for (const name of readdirSync(KERNELS))
      if (name.endsWith('.wasm')) copyFileSync(join(KERNELS, name), join(PROGRAMS, 'kernels', name));
    const kept = new Set([...files, ...before]);
    for (const path of filesIn(PROGRAMS)) {
      const name = relative(PROGRAMS, path).replaceAll('\\', '/');
      if (!kept.has(name) && !name.startsWith('kernels/')) rmSync(path);
    }
    chmodSync(join(PROGRAMS, 'mvs.js'), 0o755);
    return files.join('\n');
  });

/** The generator of what the build itself needs, straight from its sources: nothing is compiled yet. */
export const GENERATOR = join('dist', '.generator.mjs');
export async function generator() {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: 'tools/generate-built.ts',
    platform: 'node',
    external: /^(?!@oxc-project)[@\w]/,
    tsconfig: 'tsconfig.json',
    resolve: {
      conditionNames: ['source', 'import', 'node', 'default'],
      extensionAlias: { '.js': ['.ts', '.js'] },
    },
  });
  await build.write({ file: GENERATOR, format: 'esm', codeSplitting: false });
  await build.close();
}
