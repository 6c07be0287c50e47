import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCompute } from './choose.js';
import type { Compute } from './port.js';
import { engineChecks } from './test/engine-checks.js';
import { probeAdapter } from './webgpu.js';

for (const name of ['simd', 'plain'] as const) {
  describe(`engine ${name}`, () => {
    let compute: Compute;
    beforeAll(async () => {
      compute = await createCompute(name);
    });
    afterAll(() => compute.close());
    for (const check of engineChecks) it(check.name, () => check.run(compute));
  });
}

const CHROMIUM = '/usr/lib/chromium';

/**
 * The environment for a process that is to find Debian's software adapter: the SwiftShader and the Vulkan loader inside
 * the `chromium` package, unless another Vulkan driver is named already. Unchanged where the package is not installed.
 */
function withSoftwareAdapter(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const driver = `${CHROMIUM}/vk_swiftshader_icd.json`;
  if (env.VK_ICD_FILENAMES || !existsSync(driver)) return env;
  const libraries = [env.LD_LIBRARY_PATH, CHROMIUM].filter(Boolean).join(delimiter);
  return { ...env, VK_ICD_FILENAMES: driver, LD_LIBRARY_PATH: libraries };
}

// In a process of its own: it needs an environment from its start on, and must end by itself.
const env = withSoftwareAdapter(process.env);
const adapter = await probeAdapter(env);
const here = typeof adapter === 'string' ? undefined : adapter;
const wanted = here !== undefined || process.env.MVS_REQUIRE_SERVICES === '1';

describe(`engine webgpu ${here ? `on ${here.name}` : `(${adapter})`}`, () => {
  const outcomes = new Map<string, string | undefined>();
  let ended: string | undefined;

  beforeAll(async () => {
    if (!here) return;
    const script = fileURLToPath(new URL('./test/engine-checks.js', import.meta.url));
    const options = { env, timeout: 60_000 };
    const { stdout, failure } = await promisify(execFile)(process.execPath, [script, 'webgpu'], options).then(
      ({ stdout }) => ({ stdout, failure: undefined }),
      (error: { stdout: string; stderr: string; signal?: string }) => ({
        stdout: error.stdout,
        failure: `${error.signal ?? 'failed'} ${error.stderr}`,
      }),
    );
    ended = failure;
    for (const line of stdout.split('\n').filter(Boolean)) {
      const { name, error } = JSON.parse(line) as { name: string; error?: string };
      outcomes.set(name, error ?? 'passed');
    }
  });

  for (const { name } of engineChecks) {
    (wanted ? it : it.skip)(name, () => expect(outcomes.get(name) ?? adapter).toBe('passed'));
  }
  (wanted ? it : it.skip)('lets its process end', () => expect(here ? ended : adapter).toBeUndefined());
});
