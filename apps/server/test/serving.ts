/** The service as a program, on the model in the folder named by its argument: for tests that kill it or starve it. */
import { run } from '../run.js';

await run({ modelFolders: [process.argv[2]], engine: 'simd' });
