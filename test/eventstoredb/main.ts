/**
 * The double as a process of its own: `node dist/test/eventstoredb/main.js FILE PORT`, a cluster with three ports. Faults
 * come as messages of the parent.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Cluster, startCluster } from './cluster.js';
import { type Double, startDouble } from './double.js';
import { openDoubleLog } from './log.js';
import type { Faults } from './served.js';

export type Message = Partial<Faults> & {
  /** Cuts the connections of a single node. */
  cut?: boolean;
  /** An incident of a node of a cluster. */
  happens?: { what: 'kill' | 'stall' | 'cut'; to: 'leader' | 'follower'; ms: number };
};

const [file, ...ports] = process.argv.slice(2);
mkdirSync(dirname(file), { recursive: true });
const log = openDoubleLog(file);
const single = ports.length < 2 ? await startDouble(log, { port: Number(ports[0] ?? 0) }) : undefined;
const cluster = single ? undefined : await startCluster(log, { ports: ports.map(Number) });
const { connectionString, faults } = (single ?? cluster) as Double | Cluster;

process.on('message', ({ cut, happens, ...others }: Message) => {
  if (cut) single?.cut();
  if (cluster && happens) {
    const leader = cluster.leader() ?? 0;
    const node = happens.to === 'leader' ? leader : (leader + 1 + (Math.random() < 0.5 ? 0 : 1)) % ports.length;
    cluster[happens.what](node, happens.ms);
  }
  Object.assign(faults, others);
  process.send?.({ faults });
});
process.send?.({ ready: connectionString });
console.log(`EventStoreDB double on ${connectionString}`);
