import { forgedOver } from './test/forged-over.js';

forgedOver('SQLite');
