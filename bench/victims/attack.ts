/**
 * One attacker, in a process of its own: node attack.js NAME BASE KEY OPERATOR. It goes on until its parent lets go, and tells
 * then how many answers of each status it got.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { BODIES, type Body, READS } from './shapes.js';

const [name, base, key, operator] = process.argv.slice(2);
const { hostname, port } = new URL(base);
const counts: Record<string, number> = {};
const count = (status: number | string) => {
  counts[status] = (counts[status] ?? 0) + 1;
};

const [SENDERS, READERS, IDLE] = [32, 8, 250];

/** Sends a body as fast as it is taken; one that is refused before its end is answered while it is being sent. */
function send({ path, type, bytes, chunked }: Body, agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes.length };
    const headers = { 'x-api-key': key, 'content-type': type, ...length };
    const sent = request({ agent, hostname, port, method: 'POST', path, headers }, (response: IncomingMessage) => {
      count(response.statusCode ?? 0);
      response.resume().once('close', () => {
        sent.destroy();
        resolve();
      });
    });
    sent.on('error', () => {
      count('cut');
      setTimeout(resolve, 20);
    });
    if (!chunked) sent.end(bytes);
    // As they stand: every byte a chunk of its own.
    else {
      sent.flushHeaders();
      sent.once('socket', (socket) => socket.once('connect', () => setImmediate(() => socket.write(bytes))));
    }
  });
}

async function keepSending(body: Body): Promise<never> {
  const agent = new Agent({ keepAlive: false, maxSockets: SENDERS });
  for (;;) await send(body, agent);
}

/** One reader without a pause. */
async function keepReading(path: string, agent: Agent): Promise<never> {
  for (;;) {
    await new Promise<void>((resolve) => {
      const headers = { 'x-svc-admin': operator };
      const sent = request({ agent, hostname, port, path, headers }, (response) => {
        count(response.statusCode ?? 0);
        response.resume().once('close', () => resolve());
      });
      sent.on('error', () => setTimeout(resolve, 20));
      sent.end();
    });
  }
}

/** Connections that asked once and then keep what they have of the address's places; opened again once they are closed. */
function keepIdle(): void {
  const open = () => {
    const socket = connect(Number(port), hostname, () => socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.resume().on('error', () => {});
    socket.once('close', () => setTimeout(open, 1_000));
  };
  for (let n = 0; n < IDLE; n++) open();
}

process.on('message', () => process.send!(counts));
process.on('disconnect', () => process.exit());
const body = BODIES[name];
const path = READS[name];
if (body) {
  const made = body();
  for (let n = 0; n < (made.senders ?? SENDERS); n++) void keepSending(made);
} else if (path) {
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  for (let n = 0; n < READERS; n++) void keepReading(path, agent);
} else keepIdle();
process.send!('begun');
