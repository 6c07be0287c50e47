/** Requests byte by byte, as no client of HTTP sends them. */
import { connect } from 'node:net';

/** Sends raw bytes and resolves with all that comes back until the server closes or `until` is in it. */
export function answerTo(address: string, sent: string, until = '\u0000'): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = connect(Number(port), hostname, () => socket.write(sent));
    socket.on('data', (data) => {
      got += data;
      if (got.includes(until)) socket.end();
    });
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
}

/** Names of headers that a program may take for something else. */
const NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', '__defineGetter__', 'then'],
  ...['!#$%&', "'*+-.^_`|~", '0', 'x', 'Host', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'trailer'],
  ...[
    'authorization',
    'cookie',
    'set-cookie',
    'forwarded',
    'x-forwarded-for',
    'traceparent',
    'range',
    'http2-settings',
  ],
];
const VALUES = ['x', '', '__proto__', '4'.repeat(400)];

/** By name: parts of a request's head that have it, twice each. */
export const strangeHeads = (): Record<string, string[]> =>
  Object.fromEntries(NAMES.map((name) => [name, VALUES.map((value) => `${name}: ${value}\r\n${name}: ${value}\r\n`)]));
