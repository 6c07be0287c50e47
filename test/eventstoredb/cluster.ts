/**
 * A cluster of three as one was measured: a node leads, what most of them have is stored; a leader that dies or stands still is
 * followed by another after an election, and ends itself when it finds out. All nodes live in this process and share one log,
 * of which most nodes have all up to a point; a node is "killed" by resetting its connections and refusing new ones.
 */
import { type Double, startDouble } from './double.js';
import { type DoubleLog, type Expected, type ProposedEvent, RECORD, VersionMismatch } from './log.js';
import { ForwardingTimeout, type Member, NotLeader, NotReady, type ServerName } from './protocol.js';
import { type Appended, type Faults, noFaults, type Standing } from './served.js';

/** Milliseconds. An election took 0.2 to 1.7 s, a start and the truncation of a log a few seconds. */
export interface ClusterTimes {
  /** Until the others notice that a leader is gone. */
  noticed: [number, number];
  /** From then on until another one leads. */
  election: [number, number];
  /** Until a new leader takes appends; until what the former one left behind can be read. */
  ready: [number, number];
  /** Until a supervisor has started a node again that was killed or ended itself. */
  restart: [number, number];
  /** Time, ms, for which a follower keeps forwarding to a leader that is gone. */
  forwarding: number;
  /** By which followers are behind. */
  lag: number;
}

export const TIMES: ClusterTimes = {
  noticed: [50, 400],
  election: [150, 1_300],
  ready: [0, 400],
  restart: [300, 1_500],
  forwarding: 5_000,
  lag: 25,
};

export interface ClusterOptions {
  ports?: number[];
  times?: Partial<ClusterTimes>;
  /** In 0..1; decides how long things take and what becomes of appends that were under way. */
  random?(): number;
  server?: ServerName;
}

export interface Cluster {
  connectionString: string;
  ports: number[];
  faults: Faults;
  /** Number of the node that leads, if one does. */
  leader(): number | undefined;
  /** Number of times that another node took over. */
  elections(): number;
  /** Kills a node; a supervisor starts it again. */
  kill(node: number): void;
  /** It stands still for so long (ms). A leader that was replaced meanwhile ends itself with exit 0 and is started again. */
  stall(node: number, ms: number): void;
  /** Resets the connections of its clients. */
  cut(node: number): void;
  /** Kinds of calls that came to all nodes, counted. */
  calls(): { append: number; batchAppend: number };
  close(): Promise<void>;
}

type State = 'follower' | 'leader' | 'down';
interface Node {
  double: Double;
  state: State;
  stalled: boolean;
  /** Number of the last record that may be read at it. */
  readable: bigint;
}
interface Waiting {
  upTo: bigint;
  term: number;
  stored(): void;
}

const NODES = 3;
const MAJORITY = 2;
/** Until most nodes have what the leader has. */
const REPLICATION_MS = 2;

export async function startCluster(log: DoubleLog, options: ClusterOptions = {}): Promise<Cluster> {
  const { server, ports = [], random = Math.random } = options;
  const times = { ...TIMES, ...options.times };
  const faults = noFaults();
  const timers = new Set<NodeJS.Timeout>();
  const nodes: Node[] = [];
  let term = 0;
  let elections = 0;
  let electing = false;
  let known: number | undefined;
  let readyAt = 0;
  /** Number of the last record that most nodes have. */
  let stored = log.head();
  let waiting: Waiting[] = [];
  let replicating = false;

  const after = (ms: number, work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };
  const within = ([min, max]: [number, number]) => min + (max - min) * random();
  const wait = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));
  const awake = () => nodes.filter(({ state, stalled }) => state !== 'down' && !stalled);
  const leading = () => nodes.findIndex(({ state }) => state === 'leader');

  /** The leader's records go to the others, and are stored when most have them. */
  function replicate(): void {
    if (replicating) return;
    replicating = true;
    after(REPLICATION_MS, () => {
      replicating = false;
      const leader = nodes[leading()];
      if (!leader || leader.stalled || awake().length < MAJORITY) return;
      if (Date.now() < readyAt) {
        replicate();
        return;
      }
      show(log.head());
      const ready = waiting.filter((one) => one.upTo <= stored && one.term === term);
      waiting = waiting.filter((one) => one.upTo > stored && one.term === term);
      for (const one of ready) one.stored();
    });
  }

  function show(upTo: bigint): void {
    stored = upTo;
    for (const node of nodes) {
      if (node.state === 'leader') node.readable = stored;
      else if (node.state === 'follower')
        after(times.lag, () => {
          if (upTo > node.readable) node.readable = upTo;
          log.wake();
        });
    }
    log.wake();
  }

  /** The leader is gone or stands still, or there are too few: when the others have noticed, one of them takes over. */
  function elect(): void {
    if (electing) return;
    electing = true;
    after(within(times.noticed), () => {
      known = undefined;
      after(within(times.election), () => {
        electing = false;
        const able = awake();
        const leader = nodes[leading()];
        if (able.length < MAJORITY) return;
        if (leader && able.includes(leader)) {
          known = leading();
          replicate();
          return;
        }
        if (leader) leader.state = 'follower';
        // Appends under way are on the new leader too, or are forgotten.
        if (random() < 0.5) log.truncate(stored);
        const chosen = able[Math.floor(random() * able.length)];
        chosen.state = 'leader';
        known = nodes.indexOf(chosen);
        term++;
        elections++;
        waiting = [];
        readyAt = Date.now() + within(times.ready);
        if (random() < 0.5) faults.ignoreAppends++;
        replicate();
      });
    });
  }

  async function appendOnLeader(stream: string, events: ProposedEvent[], expected: Expected): Promise<Appended> {
    const own = term;
    // Left behind by the leader before and not known to be stored: in the way, and not to be read.
    const actual = log.revisionOf(stream);
    const loose = expected === 'any' || expected === 'stream_exists' || expected === actual;
    if (Date.now() < readyAt && log.endOf(stream) > stored && !loose) throw new VersionMismatch(actual);
    const appended = await log.append(stream, events, expected);
    const upTo = appended.place.commit / RECORD;
    if (upTo > stored) {
      await new Promise<void>((resolve) => {
        waiting.push({ upTo, term: own, stored: resolve });
        replicate();
      });
    }
    return appended;
  }

  const standingOf = (self: number): Standing => ({
    async append(stream, events, expected, requiresLeader) {
      if (known === undefined) throw new NotReady();
      const leader = nodes[known];
      if (known !== self) {
        if (requiresLeader) throw new NotLeader(leader.double);
        if (leader.state !== 'leader' || leader.stalled) {
          await wait(times.forwarding);
          throw new ForwardingTimeout();
        }
      } else if (leader.stalled) return new Promise(() => {});
      return appendOnLeader(stream, events, expected);
    },
    admitRead(requiresLeader) {
      if (!requiresLeader) return;
      if (known === undefined) throw new NotReady();
      if (known !== self) throw new NotLeader(nodes[known].double);
    },
    readable: () => nodes[self].readable,
    members: () =>
      nodes.map(({ double, state }, i): Member => {
        const leads = known === i;
        const role = leads ? 'leader' : known === undefined ? 'unknown' : 'follower';
        return { port: double.port, state: role, alive: leads || state !== 'down' };
      }),
  });

  for (let i = 0; i < NODES; i++) {
    const double = await startDouble(log, { server, port: ports[i] ?? 0, faults, standing: standingOf(i) });
    nodes.push({ double, state: 'follower', stalled: false, readable: stored });
  }
  nodes[0].state = 'leader';
  known = 0;

  function end(node: Node): void {
    const led = node.state === 'leader';
    node.state = 'down';
    node.stalled = false;
    void node.double.relay.close();
    if (led || awake().length < MAJORITY) elect();
    after(within(times.restart), () => {
      void node.double.relay.reopen();
      node.state = 'follower';
      node.readable = stored;
      if (known === undefined || leading() < 0) elect();
      else replicate();
    });
  }

  return {
    connectionString: `esdb://${nodes.map(({ double }) => `127.0.0.1:${double.port}`).join(',')}?tls=false`,
    ports: nodes.map(({ double }) => double.port),
    faults,
    leader: () => (leading() < 0 ? undefined : leading()),
    elections: () => elections,
    kill(i) {
      if (nodes[i].state !== 'down') end(nodes[i]);
    },
    stall(i, ms) {
      const node = nodes[i];
      if (node.state === 'down' || node.stalled) return;
      const wasTerm = term;
      const led = node.state === 'leader';
      node.stalled = true;
      node.double.relay.stall();
      if (led) elect();
      after(ms, () => {
        if (!node.stalled) return;
        node.stalled = false;
        if (led && term !== wasTerm) {
          end(node);
          return;
        }
        node.double.relay.resume();
        if (known === undefined) elect();
        else replicate();
      });
    },
    cut: (i) => nodes[i].double.cut(),
    calls: () => ({
      append: nodes.reduce((sum, { double }) => sum + double.calls.append, 0),
      batchAppend: nodes.reduce((sum, { double }) => sum + double.calls.batchAppend, 0),
    }),
    async close() {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(nodes.map(({ double }) => double.close()));
    },
  };
}
