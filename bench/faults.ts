/**
 * npm run faults [COUNT [SEED [NODES [CLIENTS]]]]: the production profile under load, killed at random, on 1 or 3 nodes of the
 * event log's double; says what broke. With CLIENTS of each replica for claims, replicas have roles. Ctrl-C ends early.
 */
import { BY_ROLE, runFaults } from '../test/faults/faults.js';

const count = Number(process.argv[2] ?? 1000);
const seed = Number(process.argv[3] ?? 1);
const nodes = Number(process.argv[4] ?? 1);
const clients = process.argv[5] === undefined ? undefined : Number(process.argv[5]);
const roles = clients === undefined ? undefined : BY_ROLE;
console.log(
  `${count} faults, seed ${seed}; event log: ${process.env.MVS_TEST_EVENTSTORE_URL ?? `the protocol double, ${nodes} node(s)`}${roles ? `; roles: ${roles.join(', ')}` : ''}`,
);
const early = new AbortController();
process.on('SIGINT', () => early.abort());
const { faults, acknowledged, retried, findings, broken } = await runFaults({
  ...{ count, seed, nodes, roles, clients, signal: early.signal },
  say: (line) => console.log(line),
});
console.log(faults);
console.log(`${acknowledged} claims acknowledged, ${retried} requests sent again`);
console.log('findings due', findings);
console.log(broken.length === 0 ? 'everything holds' : `BROKEN:\n${broken.join('\n')}`);
process.exit(broken.length === 0 ? 0 : 1);
