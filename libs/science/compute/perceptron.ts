import { type Compute, checkPerceptron, type Layer, type Perceptron, unitRows } from './port.js';

/** A perceptron made of an engine's single layers. */
export async function composedPerceptron(compute: Pick<Compute, 'layer'>, perceptron: Perceptron): Promise<Layer> {
  checkPerceptron(perceptron);
  const { outputs } = perceptron.output;
  const [linear, hidden, output] = await Promise.all(
    [perceptron.linear, perceptron.hidden, perceptron.output].map((layer) => compute.layer(layer)),
  );
  return {
    async apply(batch, rows) {
      // An engine may read a batch late, and its owner need not keep it.
      const own = batch.slice(0, rows * perceptron.linear.inputs);
      const sums = await output.apply(await hidden.apply(own, rows), rows);
      const straight = await linear.apply(own, rows);
      for (let i = 0; i < sums.length; i++) sums[i] += straight[i];
      return unitRows(sums, rows, outputs);
    },
    release() {
      for (const layer of [linear, hidden, output]) layer.release();
    },
  };
}
