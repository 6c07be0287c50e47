/** Which node of a cluster leads. The client asks one node after another, and waits 5 s for one that stands still. */
import { createRequire } from 'node:module';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Address } from './address.js';

// The client's own protocol definitions: CommonJS without static export names.
const require = createRequire(import.meta.url);
const { GossipClient } =
  require('@eventstore/db-client/generated/gossip_grpc_pb.js') as typeof import('@eventstore/db-client/generated/gossip_grpc_pb.js');
const { MemberInfo } =
  require('@eventstore/db-client/generated/gossip_pb.js') as typeof import('@eventstore/db-client/generated/gossip_pb.js');
const { Empty } =
  require('@eventstore/db-client/generated/shared_pb.js') as typeof import('@eventstore/db-client/generated/shared_pb.js');

/**
 * `host:port` of the node that most of those which answer in time name as the leader; undefined where they name none. Just
 * after a leader's death that may still be the dead one.
 */
export async function leaderOf({ nodes, credentials }: Address, withinMs: number): Promise<string | undefined> {
  const votes = new Map<string, number>();
  await new Promise<void>((decided) => {
    let open = nodes.length;
    for (const node of nodes) {
      void namedBy(node, credentials, withinMs).then((leader) => {
        const count = leader === undefined ? 0 : (votes.get(leader) ?? 0) + 1;
        if (leader !== undefined) votes.set(leader, count);
        if (--open === 0 || count > nodes.length / 2) decided();
      });
    }
  });
  const [most] = [...votes].sort(([, one], [, other]) => other - one);
  return most?.[0];
}

/** What one node says. */
function namedBy(node: string, credentials: Address['credentials'], withinMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const client = new GossipClient(node, credentials);
    client.read(
      new Empty(),
      new Metadata(),
      { deadline: Date.now() + withinMs },
      (error: ServiceError | null, answer) => {
        client.close();
        const leader = error
          ? undefined
          : answer.getMembersList().find((one) => one.getIsAlive() && one.getState() === MemberInfo.VNodeState.LEADER);
        const end = leader?.getHttpEndPoint();
        resolve(end && `${end.getAddress()}:${end.getPort()}`);
      },
    );
  });
}
