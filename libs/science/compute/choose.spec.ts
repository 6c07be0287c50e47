import { setTimeout as sleep } from 'node:timers/promises';
import { chooseCompute } from './choose.js';
import { plainCompute, simdCompute } from './cpu-engines.js';
import type { Compute, EngineName } from './port.js';

const software = async () => ({ name: 'SwiftShader driver 5.0.0', software: true });
const none = async () => 'no WebGPU adapter was found';

/** The truth under another name, with every output and every pass changed as given. */
function disguised(name: EngineName, change: (result: Float32Array) => Float32Array, delayMs = 0): Compute {
  const truth = plainCompute();
  return {
    ...truth,
    name,
    async perceptron(described) {
      const held = await truth.perceptron(described);
      return {
        ...held,
        async apply(batch, rows) {
          await sleep(delayMs);
          return change(await held.apply(batch, rows));
        },
      };
    },
  };
}

it('keeps the fastest engine that agrees and says why the others do not serve', async () => {
  const { compute, report } = await chooseCompute({ candidates: ['plain', 'simd', 'webgpu'], probe: none });
  expect(compute.name).toBe('simd');
  expect(report.engine).toBe('simd');
  expect(report.candidates.map(({ engine, outcome }) => [engine, outcome])).toEqual([
    ['plain', 'slower'],
    ['simd', 'chosen'],
    ['webgpu', 'unavailable'],
  ]);
  expect(report.candidates[1].difference).toBeLessThan(1e-5);
  expect(report.candidates[1].gflops).toBeGreaterThan(report.candidates[0].gflops ?? Number.POSITIVE_INFINITY);
  expect(report.reason).toMatch(/^simd agrees to .* GFLOP\/s on 16 sides, the most of those that agree$/);
  expect(report.candidates[2].reason).toBe('no WebGPU adapter was found');
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

it('considers the kernel and a card alone by default', async () => {
  const { report } = await chooseCompute({ probe: none, sides: 4 });
  expect(report.candidates.map(({ engine, outcome }) => [engine, outcome])).toEqual([
    ['simd', 'chosen'],
    ['webgpu', 'unavailable'],
  ]);
  expect(report.reason).toContain('GFLOP/s on 4 sides');
});

it('leaves out an engine whose numbers are off, however fast', async () => {
  for (const wrong of [(x: number) => x + 2e-5, () => Number.NaN]) {
    const create = async (engine: EngineName) =>
      engine === 'simd' ? disguised('simd', (result) => result.map(wrong)) : plainCompute();
    const { report } = await chooseCompute({ candidates: ['simd', 'plain'], create });
    expect(report.engine).toBe('plain');
    expect(report.candidates[0]).toMatchObject({ engine: 'simd', outcome: 'disagrees' });
  }
});

it('prefers the CPU kernel to a slower software adapter, and a faster adapter to the CPU kernel', async () => {
  const slow = async (engine: EngineName) =>
    engine === 'webgpu' ? disguised('webgpu', (result) => result, 20) : simdCompute();
  const chosen = await chooseCompute({ candidates: ['webgpu', 'simd'], create: slow, probe: software });
  expect(chosen.report.engine).toBe('simd');
  expect(chosen.report.candidates[0].reason).toContain('webgpu on SwiftShader driver 5.0.0 (software)');
  const fast = async (engine: EngineName) =>
    engine === 'webgpu' ? { ...simdCompute(), name: engine } : disguised(engine, (result) => result, 20);
  expect((await chooseCompute({ candidates: ['simd', 'webgpu'], create: fast, probe: software })).report.engine).toBe(
    'webgpu',
  );
});

it('does not count the first pass, on which a card compiles', async () => {
  const create = async (engine: EngineName): Promise<Compute> => {
    if (engine === 'simd') return disguised(engine, (result) => result, 5);
    const kernel = simdCompute();
    const perceptron: Compute['perceptron'] = async (described) => {
      const made = await kernel.perceptron(described);
      let first = true;
      const apply: typeof made.apply = async (batch, rows) => {
        if (first) await sleep(2000);
        first = false;
        return made.apply(batch, rows);
      };
      return { ...made, apply };
    };
    return { ...kernel, name: engine, perceptron };
  };
  expect((await chooseCompute({ candidates: ['simd', 'webgpu'], create, probe: software })).report.engine).toBe(
    'webgpu',
  );
});

it('goes on without an engine that cannot start or breaks, and closes those it leaves', async () => {
  const closed: string[] = [];
  const create = async (engine: EngineName): Promise<Compute> => {
    if (engine === 'webgpu') throw new Error('device lost');
    const broken = disguised(engine, () => {
      throw new Error('out of registers');
    });
    const compute = engine === 'simd' ? broken : plainCompute();
    return { ...compute, close: async () => void closed.push(engine) };
  };
  const { report } = await chooseCompute({ candidates: ['webgpu', 'simd', 'plain'], create, probe: software });
  expect(report.candidates.map(({ outcome, reason }) => [outcome, reason]).slice(0, 2)).toEqual([
    ['unavailable', 'webgpu cannot be used: device lost'],
    ['failed', 'simd cannot be used: out of registers'],
  ]);
  expect(closed).toEqual(['simd']);
  const nothing = chooseCompute({ candidates: ['webgpu'], create, probe: software });
  await expect(nothing).rejects.toThrow('no engine can serve: webgpu cannot be used: device lost');
});
