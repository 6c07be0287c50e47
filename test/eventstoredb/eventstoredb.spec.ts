import { describeServer } from './described.js';
import { startDouble } from './double.js';
import { noFaults } from './served.js';

const real = process.env.MVS_TEST_EVENTSTORE_URL;
if (real) {
  const start = async () => ({ connectionString: real, close: async () => {} });
  describeServer('EventStoreDB', start);
} else {
  const faults = { ...noFaults(), outOfTurn: true };
  describeServer('EventStoreDB (protocol double)', (log) => startDouble(log, { faults }), { hasHand: true });
}
