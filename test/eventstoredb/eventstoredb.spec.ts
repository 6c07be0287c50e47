import { describeServer } from './described.js';
import { startDouble } from './double.js';
import { SERVERS } from './protocol.js';
import { noFaults } from './served.js';

const real = process.env.MVS_TEST_EVENTSTORE_URL;
if (real) {
  const start = async () => ({ connectionString: real, close: async () => {} });
  describeServer('EventStoreDB', start);
} else {
  for (const server of SERVERS) {
    const checkpoints = server === SERVERS[0] ? 'reached' : 'beyond';
    const faults = { ...noFaults(), outOfTurn: true, checkpoints } as const;
    describeServer(`${server} (protocol double)`, (log) => startDouble(log, { server, faults }), { hasHand: true });
  }
}
