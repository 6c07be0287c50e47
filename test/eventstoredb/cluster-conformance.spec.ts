import { startCluster } from './cluster.js';
import { describeServer } from './described.js';

describeServer('EventStoreDB (a cluster of the double)', (log) => startCluster(log));
