/** The way to a server, or to the node of a cluster that leads it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '../port.js';
import { type Address, parseAddress } from './address.js';
import { NodeStreams } from './batch.js';
import { Channel } from './channel.js';
import { asOurs } from './failures.js';
import { leaderOf } from './gossip.js';

/** While a node is in doubt, the cluster is asked this often; each node has so long to answer. Milliseconds. */
const SEARCH_EVERY_MS = 200;
const GOSSIP_WITHIN_MS = 600;
const LOOK_AGAIN_MS = 30;

/** A node as it serves now; to be asked for at every call. */
export interface Node {
  /** `host:port` */
  readonly name: string;
  readonly streams: NodeStreams;
  /** Called when another one takes its place: what waits for it waits in vain. */
  readonly onLeft: Set<() => void>;
  /** Time when it last answered anybody, in epoch milliseconds. */
  heardAt: number;
}

/** One connection, to the node that leads; of a cluster, a fresh one for each leader. */
export class Connection {
  private readonly address: Address;
  private node: Node | undefined;
  private doubted = false;
  private searching = false;
  private closed = false;
  /** The reason why no node named a leader when all were last asked. */
  private failure: unknown;

  /** @throws Error where the connection string makes no sense */
  constructor(url: string) {
    this.address = parseAddress(url);
    if (!this.address.isCluster) this.node = this.open(this.address.nodes[0]);
  }

  /** @throws StoreUnavailable where no leader is found in time (epoch milliseconds) */
  async serving(deadline: number): Promise<Node> {
    for (;;) {
      if (this.node) return this.node;
      if (this.closed || Date.now() >= deadline)
        throw this.failure ? asOurs(this.failure) : new StoreUnavailable('EventStoreDB has no leader');
      this.doubt();
      // Nothing else may keep the process alive, and who waits here is owed an answer.
      await sleep(LOOK_AGAIN_MS);
    }
  }

  /** It answered. */
  trust(node: Node): void {
    node.heardAt = Date.now();
    if (node === this.node) this.doubted = false;
  }

  /** It did not answer, or is not the leader: the cluster is asked until this node answers or another one leads. */
  doubt(node = this.node): void {
    if (node !== this.node || !this.address.isCluster) return;
    this.doubted = true;
    if (!this.searching) void this.search();
  }

  close(): void {
    this.closed = true;
    this.node?.streams.close();
  }

  private async search(): Promise<void> {
    this.searching = true;
    while (this.doubted && !this.closed) {
      const { leader, failure } = await leaderOf(this.address, GOSSIP_WITHIN_MS);
      this.failure = failure;
      if (leader !== undefined && leader !== this.node?.name && !this.closed) this.turnTo(leader);
      else await sleep(SEARCH_EVERY_MS, undefined, { ref: false });
    }
    this.searching = false;
  }

  private turnTo(name: string): void {
    const left = this.node;
    this.node = this.open(name);
    if (!left) return;
    for (const leave of [...left.onLeft]) leave();
    left.streams.close();
  }

  private open(name: string): Node {
    const streams = new NodeStreams(new Channel(name, this.address));
    return { name, streams, onLeft: new Set(), heardAt: 0 };
  }
}
