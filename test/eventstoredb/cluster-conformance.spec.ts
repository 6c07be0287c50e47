import { startCluster } from './cluster.js';
import { describeServer } from './described.js';

/** The other server as which the double speaks: a single one is the former. */
describeServer('KurrentDB (a cluster of the double)', (log) => startCluster(log, { server: 'KurrentDB 26.0.0' }));
