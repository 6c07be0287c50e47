/**
 * Load generator, a process of its own: node volley.js BASE KEY CLIENTS REQUESTS FIRST. So many clients, a kept connection
 * each, send distinct claims one after the other. One line of JSON gives latencies in milliseconds, and claims a second.
 */
import { Agent, request } from 'node:http';
import { claimBody } from './claims.js';

/** Figures of one volley. An answer other than a verdict is an error, and no claim. */
export interface Volley {
  p50: number;
  p99: number;
  claims_per_s: number;
  errors: number;
  /** Answers that were no verdict, by status, or what cut the connection. */
  problems: Record<string, number>;
  /** Processor time of the generator in all, milliseconds. */
  cpu_ms: number;
}

const STONES = 6;

const [base, key, ...numbers] = process.argv.slice(2);
const [clients, requests, first] = numbers.map(Number);
const url = new URL('/api/v1/verify-match', base);
const agent = new Agent({ keepAlive: true, maxSockets: clients, maxFreeSockets: clients });
const stones = Array.from({ length: STONES }, (_, stone) => claimBody(undefined, { stone, first }));
const problems: Record<string, number> = {};

/** Sends one claim; returns what was wrong with the answer, if anything. */
const send = (body: Buffer) =>
  new Promise<string | undefined>((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': key };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', ({ message }) => resolve(message));
      response.on('end', () => {
        const verdict = response.statusCode === 200 && Buffer.concat(chunks).includes('"fused_score"');
        resolve(verdict ? undefined : String(response.statusCode));
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });

const atStart = process.cpuUsage();
const took: number[] = [];
let next = 0;
async function client(): Promise<void> {
  while (next < requests) {
    const body = stones[next++ % STONES]();
    const began = performance.now();
    const problem = await send(body);
    took.push(performance.now() - began);
    if (problem !== undefined) problems[problem] = (problems[problem] ?? 0) + 1;
  }
}

const began = performance.now();
await Promise.all(Array.from({ length: clients }, client));
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(atStart);
agent.destroy();

took.sort((a, b) => a - b);
const at = (share: number) => took[Math.ceil(share * took.length) - 1];
const errors = Object.values(problems).reduce((sum, count) => sum + count, 0);
const measured: Volley = {
  p50: at(0.5),
  p99: at(0.99),
  claims_per_s: (requests - errors) / seconds,
  errors,
  problems,
  cpu_ms: (user + system) / 1000,
};
console.log(JSON.stringify(measured));
