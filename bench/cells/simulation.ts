/**
 * A cell as queues: claims pass its parts one after the other, each part a number of servers with a line before them. Event by
 * event, from a seed. Times are milliseconds.
 */
import { quantile } from '#science/numerics/quantile';
import { scrambled } from '#science/numerics/random';

/** Processor time a claim in each part, and what a claim waits for without any. */
export interface Times {
  /** The load generator, where it shares the cores. */
  client: number;
  /** A claims replica's main thread, and its threads that read scans. */
  edge: number;
  reading: number;
  redis: number;
  worker: number;
  /** The log's server, of all calls of a claim. */
  log: number;
  /** A replica for operators, after the claim. */
  folding: number;
  /** Of one round trip to the log: network and disk. */
  trip: number;
}

type PartName = Exclude<keyof Times, 'trip'>;

export interface Cell {
  claims: number;
  /** Of each replica for claims. */
  threads: number;
  operators: number;
  workers: number;
  /** Calls that the log's server works on at once. */
  logSlots: number;
  /** Load generators. */
  clients?: number;
  /** Cores that all parts share; left out: as many as they want. */
  cores?: number;
}

export interface Load {
  /** Claims in all. */
  requests: number;
  /** So many clients, each with one claim at a time; or claims a second that come whenever they come. */
  clients?: number;
  rate?: number;
  seed: number;
}

/** A part that takes nothing new for a while, milliseconds from the beginning. */
export interface Failure {
  part: PartName;
  /** Number of its servers in use; all of them if left out. */
  servers?: number;
  from: number;
  for: number;
}

export interface Simulated {
  claimsPerSecond: number;
  p50: number;
  p99: number;
  longest: number;
  /** Claims that took longer than a request may. */
  late: number;
  /** Share of the time that the servers of each part worked. */
  busy: Record<PartName, number>;
  /** Claims that operators' replicas had still to fold when the last was answered. */
  unfolded: number;
}

/** A request's time is over after this. */
const REQUEST_MS = 30_000;
/** Of a claim's eight calls of the log those of each trip (docs/decisions/claim-trips.md). */
const TRIPS = [3 / 8, 4 / 8, 1 / 8];

interface Step {
  part: PartName;
  ms: number;
  /** Then so long without a server. */
  after?: number;
}

/** The way of a claim: the edge takes, reads, sends to be scored, stores, answers. */
function wayOf(times: Times): Step[] {
  const { client, edge, reading, redis, worker, log, trip } = times;
  const atEdge: Step = { part: 'edge', ms: edge / 5 };
  const atLog = TRIPS.map((share): Step => ({ part: 'log', ms: log * share, after: trip }));
  return [
    ...[
      { part: 'client' as const, ms: client / 2 },
      atEdge,
      atLog[0],
      { part: 'reading' as const, ms: reading },
      atEdge,
    ],
    ...[
      { part: 'redis' as const, ms: redis / 2 },
      { part: 'worker' as const, ms: worker },
    ],
    ...[{ part: 'redis' as const, ms: redis / 2 }, atEdge, atLog[1], atEdge, atLog[2], atEdge],
    { part: 'client', ms: client / 2 },
  ];
}

/** Events by time, earliest first: a binary heap. */
class Agenda {
  private readonly heap: { at: number; happen(): void }[] = [];

  add(at: number, happen: () => void): void {
    const { heap } = this;
    let i = heap.push({ at, happen }) - 1;
    for (let up = (i - 1) >> 1; i > 0 && heap[up].at > heap[i].at; i = up, up = (i - 1) >> 1)
      [heap[up], heap[i]] = [heap[i], heap[up]];
  }

  next(): { at: number; happen(): void } | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || !last) return first;
    heap[0] = last;
    for (let i = 0; ; ) {
      const left = 2 * i + 1;
      if (left >= heap.length) return first;
      const least = left + 1 < heap.length && heap[left + 1].at < heap[left].at ? left + 1 : left;
      if (heap[least].at >= heap[i].at) return first;
      [heap[least], heap[i]] = [heap[i], heap[least]];
      i = least;
    }
  }
}

interface Job {
  ms: number;
  done(): void;
}

/** Servers of one kind with one line before them. */
interface Line {
  free: number;
  waiting: Job[];
  worked: number;
}

export function simulate(cell: Cell, times: Times, load: Load, failure?: Failure): Simulated {
  const random = scrambled(load.seed);
  const uniform = () => (random() + 1) / 2;
  const agenda = new Agenda();
  let now = 0;
  const line = (servers: number): Line => ({ free: servers, waiting: [], worked: 0 });
  const several = (count: number, servers: number) => Array.from({ length: count }, () => line(servers));
  const parts: Record<PartName, Line[]> = {
    client: several(cell.clients ?? 1, cell.clients ? 1 : Number.POSITIVE_INFINITY),
    edge: several(cell.claims, 1),
    reading: several(cell.claims, cell.threads),
    redis: several(1, 1),
    worker: several(1, cell.workers),
    log: several(1, cell.logSlots),
    folding: several(cell.operators, 1),
  };
  const cores = { free: cell.cores ?? Number.POSITIVE_INFINITY, waiting: [] as (() => void)[] };

  /** Times differ by half of their mean to either side. */
  const drawn = (ms: number) => ms * (0.5 + uniform());
  const release = () => {
    cores.free++;
    const next = cores.waiting.shift();
    if (next) {
      cores.free--;
      next();
    }
  };
  function start(at: Line, { ms, done }: Job): void {
    const work = () => {
      at.worked += ms;
      agenda.add(now + ms, () => {
        release();
        const next = at.free >= 0 ? at.waiting.shift() : undefined;
        if (next) start(at, next);
        else at.free++;
        done();
      });
    };
    if (cores.free > 0) {
      cores.free--;
      work();
    } else cores.waiting.push(work);
  }
  function ask(at: Line, job: Job): void {
    if (at.free > 0) {
      at.free--;
      start(at, job);
    } else at.waiting.push(job);
  }
  if (failure) {
    const { part, from } = failure;
    const lines = parts[part];
    agenda.add(from, () => {
      let left = failure.servers ?? Number.POSITIVE_INFINITY;
      for (const at of lines) {
        const all = part === 'worker' ? cell.workers : part === 'log' ? cell.logSlots : 1;
        const away = Math.min(left, all);
        left -= away;
        if (away <= 0) return;
        at.free -= away;
        agenda.add(from + failure.for, () => {
          at.free += away;
          while (at.free > 0 && at.waiting.length > 0) {
            at.free--;
            start(at, at.waiting.shift()!);
          }
        });
      }
    });
  }

  const way = wayOf(times);
  const took: number[] = [];
  let begun = 0;
  let unfolded = 0;
  let answeredLast = 0;
  function claim(replica: number, answered: () => void): void {
    const began = now;
    const go = (i: number): void => {
      if (i === way.length) {
        took.push(now - began);
        answeredLast = now;
        for (const at of parts.folding) {
          unfolded++;
          ask(at, { ms: drawn(times.folding), done: () => void unfolded-- });
        }
        answered();
        return;
      }
      const { part, ms, after = 0 } = way[i];
      const lines = parts[part];
      const done = after === 0 ? () => go(i + 1) : () => agenda.add(now + after, () => go(i + 1));
      ask(lines[replica % lines.length], { ms: drawn(ms), done });
    };
    go(0);
  }

  const { requests, clients, rate } = load;
  if (clients !== undefined) {
    const next = (client: number): void => {
      if (begun++ < requests) claim(client, () => next(client));
    };
    for (let client = 0; client < clients; client++) next(client);
  } else {
    const come = (): void => {
      claim(begun, () => {});
      if (++begun < requests) agenda.add(now - (1000 * Math.log(1 - uniform())) / rate!, come);
    };
    agenda.add(0, come);
  }
  let unfoldedAtEnd = 0;
  for (let event = agenda.next(); event; event = agenda.next()) {
    now = event.at;
    event.happen();
    if (took.length === requests) {
      unfoldedAtEnd = unfolded;
      break;
    }
  }
  took.sort((a, b) => a - b);
  const share = (lines: Line[], servers: number) =>
    lines.reduce((sum, { worked }) => sum + worked, 0) / (lines.length * servers * answeredLast);
  return {
    claimsPerSecond: (1000 * took.length) / answeredLast,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    longest: took[took.length - 1],
    late: took.filter((ms) => ms > REQUEST_MS).length,
    busy: {
      client: share(parts.client, 1),
      edge: share(parts.edge, 1),
      reading: share(parts.reading, cell.threads),
      redis: share(parts.redis, 1),
      worker: share(parts.worker, cell.workers),
      log: share(parts.log, cell.logSlots),
      folding: share(parts.folding, 1),
    },
    unfolded: unfoldedAtEnd,
  };
}
