import { describeScoringQueue, testedModel } from './test/conformance.js';
import { ThreadScoring } from './thread-scoring.js';

describeScoringQueue('worker threads of this process', async ({ maxWaiting }) => {
  const queue = new ThreadScoring({ models: [testedModel()], engine: 'simd', threads: 2, maxWaiting });
  await queue.ready();
  return { queue, dispose: () => queue.close() };
});
