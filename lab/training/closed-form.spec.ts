import { closedForm } from './closed-form.js';
import { normal, randomOf } from './random.js';

describe('closedForm', () => {
  it('finds the direction that the sides share under noise and an offset', () => {
    const random = randomOf(4);
    const [stones, inputs] = [3000, 6];
    const rough = new Float32Array(stones * inputs);
    const polish = new Float32Array(stones * inputs);
    const shared = [0.5, -0.5, 0.5, 0.5, 0, 0];
    for (let s = 0; s < stones; s++) {
      const stone = normal(random);
      for (let i = 0; i < inputs; i++) {
        rough[s * inputs + i] = 7 + stone * shared[i] + 0.1 * normal(random);
        polish[s * inputs + i] = 7 + stone * shared[i] + 0.1 * normal(random);
      }
    }
    const { weights, bias } = closedForm(rough, polish, stones, inputs, { vector: 2 });
    const first = Array.from({ length: inputs }, (_, i) => weights[2 * i]);
    const size = Math.hypot(...first);
    const along = first.reduce((sum, value, i) => sum + value * shared[i], 0);
    expect(Math.abs(along) / size).toBeGreaterThan(0.999);
    // Within-pair deviation 0.1 along that direction, made one: size 10, times lambda/(1+lambda) near one.
    expect(size).toBeGreaterThan(8.5);
    expect(size).toBeLessThan(11);
    // The mean of all preprocessed scans maps to nought.
    expect(Math.abs(first.reduce((sum, value) => sum + 7 * value, bias[0]))).toBeLessThan(1);
  });
});
