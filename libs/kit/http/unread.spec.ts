import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { closeGently, endUnread } from './request.js';

const HOUR_MS = 3_600_000;

describe('a refusal while the body still comes', () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.end();
        return;
      }
      closeGently(request, HOUR_MS);
      response.setHeader('connection', 'close').once('finish', () => endUnread(request, HOUR_MS));
      response.end('refused');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('reaches a client that goes on sending: the connection is not reset under it', async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const failed: Error[] = [];
    socket.on('error', (error) => failed.push(error));
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${64 << 20}\r\n\r\n`);
    socket.write(Buffer.alloc(100_000));
    await once(socket, 'end');
    for (let n = 0; n < 3; n++) {
      socket.write(Buffer.alloc(100_000));
      // A reset would have shown by the time that another request is answered.
      await fetch(`http://127.0.0.1:${port}/`);
    }
    expect({ answer: answer.split('\r\n').at(-1), failed }).toEqual({ answer: 'refused', failed: [] });
    socket.destroy();
  });
});
