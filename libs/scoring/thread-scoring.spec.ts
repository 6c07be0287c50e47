import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelFile } from '#matching';
import { describeScoringQueue, testedModel } from './conformance.js';
import { ThreadScoring } from './thread-scoring.js';

describeScoringQueue('worker threads of this process', async ({ maxWaiting }) => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-model-'));
  const model = testedModel();
  const file = join(directory, 'model.safetensors');
  writeFileSync(file, modelFile(model));
  const queue = new ThreadScoring({
    modelFiles: [file],
    models: [model.digest],
    engine: 'simd',
    threads: 2,
    maxWaiting,
  });
  await queue.ready();
  return {
    queue,
    dispose: async () => {
      await queue.close();
      rmSync(directory, { recursive: true });
    },
  };
});
