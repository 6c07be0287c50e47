/** npm run serve: the server alone. */
import { run } from './run.js';

await run();
