/** The service as a program, on the model in the folder named by its argument: for tests that kill it or starve it. */
import { bundledService } from '../../../test/programs.js';

const { run } = await bundledService();
await run({ modelFolders: [process.argv[2]], engine: 'simd', args: process.argv.slice(3) });
