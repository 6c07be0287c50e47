// Checks that every engine must pass: run by the specs in process, and in a process of its own for WebGPU (`node
// dist/libs/science/compute/test/engine-checks.js webgpu` prints one outcome per check; also the way to check a real card).
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { createCompute } from '../choose.js';
import { plainCompute } from '../cpu-engines.js';
import type { Compute, EngineName, Perceptron } from '../port.js';
import { randomLayer, randomPerceptron, randomValues, worstDifference } from '../random.js';

export interface EngineCheck {
  name: string;
  run(compute: Compute): Promise<void>;
}

const TOLERANCE = 1e-5;
const truth = plainCompute();

async function agrees(compute: Compute, described: Perceptron, batches: { batch: Float32Array; rows: number }[]) {
  const [held, expected] = [await compute.perceptron(described), await truth.perceptron(described)];
  for (const { batch, rows } of batches) {
    const difference = worstDifference(await held.apply(batch, rows), await expected.apply(batch, rows));
    const { linear, hidden } = described;
    const shape = `${linear.inputs} -> ${hidden.outputs} -> ${linear.outputs}`;
    assert.ok(difference <= TOLERANCE, `${shape}, ${rows} rows: off by ${difference}`);
  }
  held.release();
}

const batchOf = (rows: number, inputs: number, scale = 1) => ({
  batch: randomValues(rows, rows * inputs, scale),
  rows,
});

export const engineChecks: EngineCheck[] = [
  {
    name: "agrees with the truth to 1e-5 on the encoder's shapes, batches growing and shrinking",
    async run(compute) {
      const batches = [1, 64, 7].map((rows) => batchOf(rows, 671));
      // Of few outputs each is of order one.
      await agrees(compute, randomPerceptron(671, 512, 4), batches);
      await agrees(compute, randomPerceptron(671, 512, 256), batches);
    },
  },
  {
    name: 'agrees on odd shapes and on an empty batch',
    async run(compute) {
      for (const [inputs, size, outputs] of [
        [1, 1, 2],
        [3, 17, 5],
        [257, 5, 3],
      ]) {
        const batches = [0, 1, 2, 5].map((rows) => batchOf(rows, inputs));
        await agrees(compute, randomPerceptron(inputs, size, outputs), batches);
      }
    },
  },
  {
    name: 'keeps GELU finite far out',
    async run(compute) {
      const layer = (outputs: number, weights: number[], bias: number[]) => ({
        ...{ inputs: 1, outputs, weights: Float32Array.from(weights), bias: Float32Array.from(bias) },
        activation: 'identity' as const,
      });
      // (1, gelu(x)), of length one.
      const described = {
        linear: layer(2, [0, 0], [1, 0]),
        hidden: { ...layer(1, [1], [0]), activation: 'gelu' as const },
        output: layer(2, [0, 1], [0, 0]),
      };
      const held = await compute.perceptron(described);
      const far = await held.apply(Float32Array.of(-1e4, -30, 30, 1e4), 4);
      const unit = (x: number) => [1 / Math.hypot(1, x), x / Math.hypot(1, x)];
      assert.ok(worstDifference(far, Float32Array.from([0, 0, 30, 1e4].flatMap(unit))) <= TOLERANCE, `got ${far}`);
      held.release();
    },
  },
  {
    name: 'gives a row the same bits alone and anywhere in a batch',
    async run(compute) {
      const held = await compute.perceptron(randomPerceptron(671, 96, 96));
      const row = randomValues(5, 671);
      const alone = await held.apply(row, 1);
      for (const [rows, position] of [
        [2, 1],
        [7, 3],
        [65, 64],
      ]) {
        const { batch } = batchOf(rows, 671, 50);
        batch.set(row, position * 671);
        const within = (await held.apply(batch, rows)).subarray(position * 96, (position + 1) * 96);
        assert.deepEqual(
          Buffer.from(within.slice().buffer),
          Buffer.from(alone.slice().buffer),
          `${position} of ${rows}`,
        );
      }
      held.release();
    },
  },
  {
    name: 'keeps concurrent batches apart',
    async run(compute) {
      const described = randomPerceptron(64, 24, 4);
      const [held, expected] = [await compute.perceptron(described), await truth.perceptron(described)];
      const batches = [1, 9, 2, 530, 5].map((rows) => batchOf(rows, 64));
      const results = await Promise.all(batches.map(({ batch, rows }) => held.apply(batch, rows)));
      for (const [i, { batch, rows }] of batches.entries()) {
        assert.ok(worstDifference(results[i], await expected.apply(batch, rows)) <= TOLERANCE, `batch ${i}`);
      }
      held.release();
    },
  },
  {
    name: "makes of a perceptron what its layers make, of length one; the batch is its owner's again at once",
    async run(compute) {
      for (const [inputs, size, outputs] of [
        [428, 512, 256],
        [7, 21, 5],
      ]) {
        const perceptron = randomPerceptron(inputs, size, outputs);
        const [held, expected] = [await compute.perceptron(perceptron), await truth.perceptron(perceptron)];
        // A small one also beyond what an engine may take in one pass.
        for (const rows of inputs < 16 ? [0, 1, 7, 129, 520, 1030] : [0, 1, 7]) {
          const { batch } = batchOf(rows, inputs);
          const rightly = await expected.apply(batch, rows);
          const applied = held.apply(batch, rows);
          batch.fill(Number.NaN);
          const difference = worstDifference(await applied, rightly);
          assert.ok(difference <= TOLERANCE, `${inputs} -> ${size} -> ${outputs}, ${rows} rows: off by ${difference}`);
        }
        held.release();
        held.release();
        await assert.rejects(held.apply(batchOf(1, inputs).batch, 1), /released/);
      }
      const wrong = { linear: randomLayer(8, 3, 'identity'), hidden: randomLayer(8, 4, 'gelu') };
      await assert.rejects(compute.perceptron({ ...wrong, output: randomLayer(5, 3, 'identity') }), RangeError);
      const bent = { ...wrong, output: randomLayer(4, 3, 'gelu') };
      await assert.rejects(compute.perceptron(bent), RangeError);
    },
  },
  {
    name: 'makes cosine tables, with zeros for rows of zeros',
    async run(compute) {
      const [a, b] = [randomValues(1, 9 * 256, 40), randomValues(2, 21 * 256, 1e-3)];
      a.fill(0, 256, 512);
      const table = await compute.cosines(a, 9, b, 21, 256);
      assert.ok(worstDifference(table, await truth.cosines(a, 9, b, 21, 256)) <= TOLERANCE);
      assert.ok(table.subarray(21, 42).every((value) => value === 0));
      assert.equal((await compute.cosines(a, 0, b, 21, 256)).length, 0);
    },
  },
  {
    name: 'refuses arrays that are shorter than their shape',
    async run(compute) {
      const described = randomPerceptron(8, 6, 4);
      const short = { ...described, output: { ...described.output, bias: new Float32Array(3) } };
      await assert.rejects(compute.perceptron(short), { name: 'RangeError' });
      const held = await compute.perceptron(described);
      await assert.rejects(held.apply(new Float32Array(15), 2), { name: 'RangeError' });
      await assert.rejects(compute.cosines(new Float32Array(7), 2, new Float32Array(8), 2, 4), { name: 'RangeError' });
      held.release();
    },
  },
];

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const compute = await createCompute(process.argv[2] as EngineName);
  for (const check of engineChecks) {
    const error = await check.run(compute).then(
      () => undefined,
      (reason: Error) => reason.message,
    );
    console.log(JSON.stringify({ name: check.name, error }));
    if (error) process.exitCode = 1;
  }
  await compute.close();
}
