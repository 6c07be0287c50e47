import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A WebGPU adapter: the card's or the software renderer's name. */
export interface Adapter {
  name: string;
  /** Computes on the CPU: SwiftShader, lavapipe and the like. */
  software: boolean;
}

const run = promisify(execFile);
const PROBE_TIMEOUT_MS = 20_000;

/**
 * The machine's WebGPU adapter, or the reason why there is none in one sentence. Looked for in a child process, so that
 * neither a driver's crash nor its messages reach this one.
 */
export async function probeAdapter(env = process.env): Promise<Adapter | string> {
  const probe = fileURLToPath(new URL('./adapter-probe.js', import.meta.url));
  try {
    const { stdout } = await run(process.execPath, [probe], { env, timeout: PROBE_TIMEOUT_MS });
    const found = JSON.parse(stdout) as Adapter | null;
    return found ?? 'no WebGPU adapter was found';
  } catch (error) {
    const { code, signal, stderr = '' } = error as { code?: number; signal?: string; stderr?: string };
    const cause = /^\w*Error.*$/m.exec(stderr)?.[0] ?? `the probe ended with ${signal ?? `code ${code}`}`;
    return `WebGPU cannot be used: ${cause}`;
  }
}

/** Makes `navigator.gpu` stand where gpu.js looks for it. Throws where the WebGPU package has no build for the platform. */
export async function installWebGpu(): Promise<void> {
  const { create } = await import('webgpu');
  const holder = globalThis as { navigator?: { gpu?: unknown } };
  if (holder.navigator?.gpu) return;
  // Node 20 has no navigator; later versions have one that cannot be assigned.
  if (!holder.navigator) Object.defineProperty(holder, 'navigator', { value: {}, configurable: true, writable: true });
  Object.defineProperty(holder.navigator, 'gpu', { value: create([]), configurable: true });
}
