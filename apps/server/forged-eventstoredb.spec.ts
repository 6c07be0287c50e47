import { forgedOver } from './test/forged-over.js';

// The protocol's double.
forgedOver('EventStoreDB');
