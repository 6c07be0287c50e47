/** Finds the leader of a cluster. */
import type { Address } from './address.js';
import { Channel } from './channel.js';
import { mistakeOf } from './failures.js';
import { GOSSIP, leaderIn } from './messages.js';

/** One node's answer: `host:port` of the leader, if it knows any. */
type Answer = { leader?: string; failure?: undefined } | { leader?: undefined; failure: Error };

/**
 * `host:port` of the node that most of those which answer in time name as the leader. Just after a leader's death that may still
 * be the dead one. Where none of them answers, why: what a person can mend before anything else.
 */
export async function leaderOf(address: Address, withinMs: number): Promise<Answer> {
  const { nodes } = address;
  const votes = new Map<string, number>();
  const failures: Error[] = [];
  await new Promise<void>((decided) => {
    let open = nodes.length;
    for (const node of nodes) {
      void namedBy(node, address, withinMs).then(({ leader, failure }) => {
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

/** Over a connection that is there for this alone. */
function namedBy(node: string, address: Address, withinMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const channel = new Channel(node, address);
    const answer = (said: Answer) => {
      clearTimeout(late);
      resolve(said);
      setImmediate(() => channel.close());
    };
    const late = setTimeout(() => answer({ failure: new Error(`${node} does not answer`) }), withinMs);
    let leader: string | undefined;
    const call = channel.call(GOSSIP.method, {
      onMessage(message) {
        leader = leaderIn(message);
      },
      onOver: (failure) => answer(failure ? { failure } : leader === undefined ? {} : { leader }),
    });
    call.write([GOSSIP.request]);
    call.end();
  });
}
