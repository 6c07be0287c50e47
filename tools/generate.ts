/** `npm run generate`: writes what is generated and committed, and says what changed. */
import { writeFiles } from './built.js';
import { committedFiles } from './generated.js';

writeFiles(await committedFiles());
