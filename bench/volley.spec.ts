import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { claimBody } from './claims.js';
import type { Volley } from './volley.js';

const VOLLEY = fileURLToPath(new URL('./volley.js', import.meta.url));

describe('the load generator', () => {
  let server: Server;
  afterEach(() => {
    server.close();
  });

  /** Loads a service that refuses every tenth claim. */
  async function loaded(clients: number, requests: number) {
    const sides: Record<'rough' | 'polish', Set<string>> = { rough: new Set(), polish: new Set() };
    let connections = 0;
    let asked = 0;
    server = createServer(async (message, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk);
      const claim = JSON.parse(Buffer.concat(chunks).toString());
      for (const side of ['rough', 'polish'] as const) sides[side].add(JSON.stringify(claim[side].spectra));
      if (++asked % 10 === 0) response.writeHead(429).end('{}');
      else response.end('{"fused_score":0.5}');
    });
    server.on('connection', () => connections++);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [VOLLEY, base, 'key', String(clients), String(requests), '7'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return { measured: JSON.parse(stdout) as Volley, sides, connections, asked };
  }

  it('sends distinct claims over a kept connection a client, and counts what was no verdict', async () => {
    const { measured, sides, connections, asked } = await loaded(3, 60);
    expect([asked, connections]).toEqual([60, 3]);
    expect([sides.rough.size, sides.polish.size]).toEqual([60, 60]);
    expect(measured).toMatchObject({ errors: 6, problems: { 429: 6 } });
    expect(measured.claims_per_s).toBeGreaterThan(0);
    expect(measured.p50).toBeGreaterThan(0);
    expect(measured.p99).toBeGreaterThanOrEqual(measured.p50);
  });
});

describe('bodies of claims', () => {
  it('differ on both sides from one to the next, and keep their length', () => {
    const body = claimBody('stone');
    const claims = Array.from({ length: 200 }, () => body());
    expect(new Set(claims.map(String)).size).toBe(200);
    expect(new Set(claims.map(({ length }) => length)).size).toBe(1);
    const { rough, polish } = JSON.parse(claims[0].toString());
    expect([rough.stone_id, polish.stone_id, rough.spectra.length, polish.spectra.length]).toEqual([
      'stone',
      'stone',
      6,
      1,
    ]);
    for (const side of ['rough', 'polish'] as const)
      expect(new Set(claims.map((claim) => String(JSON.parse(claim.toString())[side].spectra[0][100]))).size).toBe(200);
  });
});
