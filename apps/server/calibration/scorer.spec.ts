import { scorerOver } from '../test/scorer-over.js';

scorerOver('SQLite');
