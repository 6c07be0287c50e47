/** Hostile requests and attacks against the running service, and what must hold after them. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { invariantsOf } from '#audit/valid-decisions';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { claimOf } from '../../apps/server/test/fixture.js';
import { ServingProcess } from '../../apps/server/test/process.js';
import { exchange, guessKeys, idle, slowBody, slowHeader, type Target } from './attacks.js';
import { type HostileRequest, hostileRequest, makeMaterial } from './requests.js';

export interface SoakOptions {
  seed: number;
  requests: number;
  /** No request is begun later, whatever their number. */
  seconds: number;
  /** Connections that send nothing. */
  idle: number;
  /** Connections that send their header, or their body, a byte at a time; as many of each. */
  drips: number;
  /** Guessed keys a second. */
  guesses: number;
  onProgress?(sent: number, rssMiB: number): void;
}

export interface SoakReport {
  sent: number;
  seconds: number;
  idleOpened: number;
  guessed: number;
  /** Answers by status; `cut`: no answer, because the client or the service closed. */
  statuses: Record<string, number>;
  /** Largest resident memory of the service in the first and in the second half, in MiB. */
  rssMiB: [firstHalf: number, secondHalf: number];
  faults: string[];
}

const CONNECTIONS = 16;
const BODY_BYTES = 4 << 20;
const ENVIRONMENT = {
  MVS_MAX_REQUEST_MS: '5000',
  MVS_MAX_BODY_BYTES: String(BODY_BYTES),
  MVS_MAX_INFLIGHT_BYTES: String(16 * BODY_BYTES),
  MVS_MAX_RATE: '1000000',
  MVS_MAX_BURST: '1000000',
  MVS_LOG_LEVEL: 'info',
};

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, requests, seconds } = options;
  const material = await makeMaterial(seed);
  const serving = await ServingProcess.start({ environment: ENVIRONMENT });
  const report: SoakReport = {
    sent: 0,
    seconds: 0,
    idleOpened: 0,
    guessed: 0,
    statuses: {},
    rssMiB: [0, 0],
    faults: [],
  };
  try {
    const { hostname, port } = new URL(serving.address);
    const target: Target = { hostname, port: Number(port) };
    const before = await serving.verify(claimOf(7));
    const began = performance.now();
    const end = began + seconds * 1000;
    const running = () => report.sent < requests && performance.now() < end;
    const tally = (statuses: number[], what: string) => {
      for (const status of statuses) {
        report.statuses[status] = (report.statuses[status] ?? 0) + 1;
        if (status >= 500 && status !== 503) report.faults.push(`${what}: ${status}`);
      }
    };
    const idlers = await idle(target, options.idle);
    report.idleOpened = idlers.opened;

    const client = async () => {
      while (running()) {
        const request = hostileRequest(seed, report.sent++, material, serving.apiKey);
        const statuses = await send(target, request);
        tally(statuses, `request ${request.n} of seed ${seed} (${request.kind}, ${request.delivery})`);
        if (statuses.length === 0) report.statuses.cut = (report.statuses.cut ?? 0) + 1;
        if (report.sent % 1000 === 0) options.onProgress?.(report.sent, rssMiB(serving.pid));
      }
    };
    const dripping = async (attack: () => Promise<number[]>, name: string) => {
      while (running()) tally(await attack(), name);
    };
    const guessing = async () => {
      while (options.guesses > 0 && running()) {
        const next = setTimeout(100);
        const count = Math.ceil(options.guesses / 10);
        const statuses = await guessKeys(target, count, report.guessed);
        report.guessed += count;
        tally(statuses, 'a guessed key');
        if (statuses.some((status) => status !== 401)) report.faults.push(`a guessed key is answered ${statuses}`);
        await next;
      }
    };
    const watching = async () => {
      while (running()) {
        const half = report.sent * 2 < requests && performance.now() < began + seconds * 500 ? 0 : 1;
        report.rssMiB[half] = Math.max(report.rssMiB[half], rssMiB(serving.pid));
        await setTimeout(100);
      }
    };
    await Promise.all([
      ...Array.from({ length: CONNECTIONS }, client),
      ...Array.from({ length: options.drips }, () => dripping(() => slowHeader(target), 'a slow header')),
      ...Array.from({ length: options.drips }, () => dripping(() => slowBody(target, serving.apiKey), 'a slow body')),
      guessing(),
      watching(),
    ]);
    idlers.release();
    report.seconds = (performance.now() - began) / 1000;
    // The connection of the claim before it may have been idle for as long as the service keeps one.
    const after = await serving.verify(claimOf(7)).catch(() => serving.verify(claimOf(7)));
    if (before.status !== 200 || JSON.stringify(after.body) !== JSON.stringify(before.body)) {
      report.faults.push(`a genuine claim is answered ${after.status} after it: ${JSON.stringify(after.body)}`);
    }
    await holdToEnd(serving, report);
    return report;
  } finally {
    await serving.remove();
  }
}

async function send(target: Target, { bytes, delivery, n }: HostileRequest): Promise<number[]> {
  return exchange(target, async (socket) => {
    if (delivery === 'aborted') {
      socket.write(bytes.subarray(0, (n * 7919) % bytes.length), () => socket.destroy());
      return;
    }
    if (delivery === 'slow') {
      const piece = Math.ceil(bytes.length / 5);
      for (let at = 0; at < bytes.length && socket.writable; at += piece) {
        socket.write(bytes.subarray(at, at + piece));
        await setTimeout(5);
      }
      return;
    }
    socket.write(bytes);
  });
}

async function holdToEnd(serving: ServingProcess, report: SoakReport): Promise<void> {
  const status = await serving.end('SIGTERM');
  if (status !== 0) report.faults.push(`the orderly end has status ${status}`);
  const alarms = serving.lines.filter((line) => /"msg":"(fault|worker thread lost|views stopped)"/.test(line));
  report.faults.push(...alarms.slice(0, 20));
  const reader = openSqliteEventReader({ directory: serving.data });
  const invariants = await invariantsOf(reader);
  for await (const event of reader.readAll()) {
    for (const fault of invariants.check(event)) report.faults.push(`event ${event.position} ${fault}`);
  }
  await reader.close();
}

const rssMiB = (pid: number): number => {
  const [, kiB] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kiB ?? 0) / 1024);
};
