/**
 * One client's flood, in a process of its own: node flood.js KIND BASE KEY. It goes on until its parent lets go, and reports
 * then how many answers of each status it got.
 */

import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { claimBody, largeBody } from './claims.js';

const [kind, base, key] = process.argv.slice(2);
const { hostname, port } = new URL(base);
const counts: Record<string, number> = {};
const count = (status: number | string) => {
  counts[status] = (counts[status] ?? 0) + 1;
};

/** One connection's requests, one after the other. */
async function keepAsking(agent: Agent, body: () => Buffer, apiKey: () => string): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      const sent = request(
        {
          agent,
          hostname,
          port,
          method: 'POST',
          path: '/api/v1/verify-match',
          headers: { 'x-api-key': apiKey(), 'content-type': 'application/json' },
        },
        (response) => {
          count(response.statusCode ?? 0);
          response.resume().once('close', resolve);
        },
      );
      sent.on('error', () => {
        count('cut');
        setTimeout(resolve, 50);
      });
      sent.end(body());
    });
  }
}

const many = (connections: number, body: () => Buffer, apiKey = () => key) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  for (let i = 0; i < connections; i++) void keepAsking(agent, body, apiKey);
};

/** Sends most of a body and then nothing; begins again when it is thrown out. */
async function stall(bytes: number, sent: Buffer): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      let status: number | string = 'cut';
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /api/v1/verify-match HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n` +
            `Content-Length: ${bytes}\r\n\r\n`,
        );
        socket.write(sent);
      });
      socket.on('data', (data) => {
        status = Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? 0);
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        count(status);
        resolve();
      });
    });
    await sleep(50);
  }
}

/** Keeps a connection that says one thing and nothing else; opens another a second after it was closed. */
async function hold(from: string, said: string): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      const socket = connect({ port: Number(port), host: hostname, localAddress: from, allowHalfOpen: true }, () => {
        held++;
        socket.write(said);
        socket.once('close', () => held--);
      });
      socket.resume();
      // The service is done with it; a client of its own kind would not notice.
      socket.on('error', () => {}).once('end', () => socket.destroy());
      socket.once('close', () => resolve());
    });
    await sleep(1_000);
  }
}
let held = 0;

const HALF = ['GET / HTTP/1.1\r\nHost: x\r\nX-Half: ', ''];
const CONNECT = 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n';
/** Every address of 127.0.0.0/8 is this machine's own (Linux). */
function sockets(addresses: number, said: string[]): void {
  for (let i = 0; i < 2_000; i++) void hold(`127.0.1.${1 + (i % addresses)}`, said[i % said.length]);
}

let guessed = 0;
const guess = () => `mvs_live_${(guessed++).toString(16).padStart(16, '0')}_${'A'.repeat(43)}`;

const FLOODS: Record<string, () => void> = {
  stalled() {
    // All of them fit into 512 MiB, and leave less than a claim of 55 kB needs.
    const largest = Buffer.alloc(3_834_500, ' ');
    for (let i = 0; i < 140; i++) void stall(4_000_000, largest);
  },
  connections: () => many(200, claimBody('flood')),
  uploads: () => many(130, largeBody('flood')),
  sockets: () => sockets(1, [...HALF, CONNECT]),
  'sockets-16': () => sockets(16, HALF),
  guesses: () => many(64, claimBody('flood'), guess),
  // The share that a machine of two cores owes to any flood: nothing is sent.
  cores() {
    for (let i = 0; i < 2; i++) new Worker('for (;;);', { eval: true });
  },
};

process.on('message', () => process.send!(held > 0 ? { ...counts, held } : counts));
process.on('disconnect', () => process.exit());
FLOODS[kind]();
process.send!('begun');
