/** Finds the leader of a cluster. The client asks one node after another, and waits 5 s for one that stands still. */
import { createRequire } from 'node:module';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Address } from './address.js';
import { mistakeOf } from './failures.js';

// The client's own protocol definitions: CommonJS without static export names.
const require = createRequire(import.meta.url);
const { GossipClient } =
  require('@eventstore/db-client/generated/gossip_grpc_pb.js') as typeof import('@eventstore/db-client/generated/gossip_grpc_pb.js');
const { MemberInfo } =
  require('@eventstore/db-client/generated/gossip_pb.js') as typeof import('@eventstore/db-client/generated/gossip_pb.js');
const { Empty } =
  require('@eventstore/db-client/generated/shared_pb.js') as typeof import('@eventstore/db-client/generated/shared_pb.js');

/** One node's answer: `host:port` of the leader, if it knows any. */
type Answer = { leader?: string; failure?: undefined } | { leader?: undefined; failure: ServiceError };

/**
 * `host:port` of the node that most of those which answer in time name as the leader. Just after a leader's death that may still
 * be the dead one. Where none of them answers, why: what a person can mend before anything else.
 */
export async function leaderOf({ nodes, credentials }: Address, withinMs: number): Promise<Answer> {
  const votes = new Map<string, number>();
  const failures: ServiceError[] = [];
  await new Promise<void>((decided) => {
    let open = nodes.length;
    for (const node of nodes) {
      void namedBy(node, credentials, withinMs).then(({ leader, failure }) => {
        if (failure) failures.push(failure);
        const count = leader === undefined ? 0 : (votes.get(leader) ?? 0) + 1;
        if (leader !== undefined) votes.set(leader, count);
        if (--open === 0 || count > nodes.length / 2) decided();
      });
    }
  });
  const [most] = [...votes].sort(([, one], [, other]) => other - one);
  if (most) return { leader: most[0] };
  // A node that answers and knows of no leader says more than one that is away.
  if (failures.length < nodes.length) return {};
  return { failure: failures.find(mistakeOf) ?? failures[0] };
}

function namedBy(node: string, credentials: Address['credentials'], withinMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const client = new GossipClient(node, credentials);
    client.read(
      new Empty(),
      new Metadata(),
      { deadline: Date.now() + withinMs },
      (failure: ServiceError | null, answer) => {
        client.close();
        if (failure) return resolve({ failure });
        const { LEADER } = MemberInfo.VNodeState;
        const leads = answer.getMembersList().find((one) => one.getIsAlive() && one.getState() === LEADER);
        const end = leads?.getHttpEndPoint();
        resolve(end ? { leader: `${end.getAddress()}:${end.getPort()}` } : {});
      },
    );
  });
}
