import { cpus } from 'node:os';
import { createCompute } from '#science/compute/choose';
import { fastestMs, measureCeiling } from '#science/compute/measure';
import type { Compute, EngineName } from '#science/compute/port';
import { randomLayer, randomValues } from '#science/compute/random';
import { SimdKernel } from '#science/compute/simd-kernel';
import { type Adapter, probeAdapter } from '#science/compute/webgpu';
import { placeModel } from '#science/matching/encoder';
import { shippedModel } from '#science/matching/shipped';

/** The encoder's layers: linear branch (256) and hidden layer (512) side by side, then the hidden layer's way out. */
const SHAPES = [
  { name: '671 -> 768', inputs: 671, outputs: 768 },
  { name: '512 -> 256', inputs: 512, outputs: 256 },
];
const BATCHES = [1, 7, 64, 512];
const ROUNDS = 8;
const BUDGET_MS = 40;

/** Every engine's speed on the encoder's shapes beside the machine's own 128-bit ceiling, from one run on one thread. */
export async function run(): Promise<void> {
  const adapter = await probeAdapter();
  console.log(`${cpus()[0]?.model}, Node ${process.versions.node}, ${process.platform} ${process.arch}`);
  console.log(
    typeof adapter === 'string' ? adapter : `WebGPU: ${adapter.name}${adapter.software ? ' (software)' : ''}`,
  );
  const rows: Row[] = [];
  let ceiling = 0;
  for (let round = 0; round < ROUNDS; round++) {
    ceiling = Math.max(ceiling, await measureCeiling(BUDGET_MS));
    await measureEngine('simd', rows);
    await measureTraining(rows);
  }
  if (typeof adapter !== 'string') await measureEngine('webgpu', rows);
  for (const engine of ['gpu-cpu', 'plain'] as const) await measureEngine(engine, rows);

  console.log(`128-bit SIMD ceiling (register-only multiply-add, one thread): ${ceiling.toFixed(1)} GFLOP/s\n`);
  console.log('| engine | shape | batch | GFLOP/s | of the ceiling |\n| --- | --- | ---: | ---: | ---: |');
  for (const { engine, shape, batch, gflops } of rows) {
    const share = `${((100 * gflops) / ceiling).toPrecision(gflops < ceiling / 10 ? 1 : 3)}%`;
    console.log(`| ${engine} | ${shape} | ${batch} | ${gflops.toPrecision(3)} | ${share} |`);
  }
  console.log();
  await sides(adapter);
}

/** Pooled sides in one pass of the newest model's encoders: those of a claim alone, of claims that wait, of a laboratory's table. */
const SIDES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** The encoders of the newest model on the kernel, and on the adapter if there is one: from preprocessed sides to their vectors. */
async function sides(adapter: Adapter | string): Promise<void> {
  const model = shippedModel();
  const engines: EngineName[] = typeof adapter === 'string' ? ['simd'] : ['simd', 'webgpu'];
  console.log(
    `Encoders of ${model.digest.slice(0, 16)}, ms a pass (GFLOP/s), fastest of many; the kernel on one thread\n`,
  );
  console.log(`| pooled sides | ${engines.join(' | ')} |\n|---:|${engines.map(() => '---:|').join('')}`);
  const cells = SIDES.map(() => [] as string[]);
  for (const engine of engines) {
    const compute = await createCompute(engine);
    const placed = await placeModel(model, compute);
    const work = model.encoders.reduce((sum, of) => sum + of.linear.length + of.hidden.length + of.output.length, 0);
    const pass = (rows: number) => {
      const widths = model.encoders.map(({ preprocessing }) => preprocessing.scale.length);
      const inputs = widths.map((width) => randomValues(rows, rows * width));
      return () => Promise.all(placed.encoders.map((encoder, e) => encoder.apply(inputs[e], rows)));
    };
    await pass(1)(); // compiles
    for (const [s, rows] of SIDES.entries()) {
      const ms = await fastestMs(4 * BUDGET_MS, pass(rows));
      cells[s].push(`${ms.toPrecision(3)} (${((2 * rows * work) / ms / 1e6).toPrecision(3)})`);
    }
    placed.release();
    await compute.close();
  }
  for (const [s, rows] of SIDES.entries()) console.log(`| ${rows} | ${cells[s].join(' | ')} |`);
  console.log();
}

interface Row {
  engine: string;
  shape: string;
  batch: number;
  gflops: number;
}

/** Keeps the best of all rounds: whatever else runs on the machine only ever takes away. */
function keep(rows: Row[], measured: Row): void {
  const known = rows.find(
    ({ engine, shape, batch }) => engine === measured.engine && shape === measured.shape && batch === measured.batch,
  );
  if (known) known.gflops = Math.max(known.gflops, measured.gflops);
  else rows.push(measured);
}

async function measureEngine(engine: EngineName, rows: Row[]): Promise<void> {
  const compute: Compute = await createCompute(engine);
  for (const { name, inputs, outputs } of SHAPES) {
    const layer = await compute.layer(randomLayer(inputs, outputs, 'identity'));
    await layer.apply(randomValues(1, inputs), 1); // compiles
    for (const batch of BATCHES) {
      const values = randomValues(batch, batch * inputs);
      const ms = await fastestMs(BUDGET_MS, () => layer.apply(values, batch));
      keep(rows, { engine, shape: name, batch, gflops: (2 * batch * inputs * outputs) / ms / 1e6 });
    }
    layer.release();
  }
  await compute.close();
}

/** Additional work of a training: packing both operands, and the transposed products. */
async function measureTraining(rows: Row[]): Promise<void> {
  const kernel = SimdKernel.create();
  const [batch, inputs, outputs] = [512, 671, 512];
  const values = randomValues(1, batch * inputs);
  const weights = randomValues(2, inputs * outputs);
  const gradient = randomValues(3, batch * outputs);
  const passes: [string, () => void][] = [
    ['a . b, 671 -> 512', () => kernel.product(values, weights, batch, inputs, outputs)],
    ['aT . b, 671 -> 512', () => kernel.productLeftTransposed(values, gradient, batch, inputs, outputs)],
    ['a . bT, 671 -> 512', () => kernel.productRightTransposed(gradient, weights, batch, outputs, inputs)],
  ];
  for (const [shape, pass] of passes) {
    const ms = await fastestMs(BUDGET_MS, pass);
    keep(rows, { engine: 'simd, training', shape, batch, gflops: (2 * batch * inputs * outputs) / ms / 1e6 });
  }
}
