import { scorerOver } from '../../apps/server/test/scorer-over.js';

scorerOver('EventStoreDB');
