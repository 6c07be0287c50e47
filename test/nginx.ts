import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';
import { until } from './until.js';

const installed = [spawnSync('nginx', ['-v']), spawnSync('openssl', ['version'])].every(({ status }) => status === 0);

/** False where a newcomer's machine has no nginx or openssl: its tests are skipped by name. CI turns the lack into failures. */
export const nginxIsHere = installed || process.env.MVS_REQUIRE_SERVICES === '1';

/** An nginx of the test's own with a server block as a page shows it, on a free port, with a certificate made for it. */
export class TestNginx {
  readonly directory = mkdtempSync(join(tmpdir(), 'mvs-nginx-'));
  address = '';
  private process: ChildProcess | undefined;

  /**
   * @param block a page's, with `listen 443 ssl`, certificates and upstreams of its own
   * @param services addresses by upstream
   */
  async start(block: string, services: Record<string, string>): Promise<void> {
    const port = await freePort();
    const at = (name: string) => join(this.directory, name);
    const [key, certificate] = [at('key.pem'), at('certificate.pem')];
    const asked = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-subj', '/CN=match.example'];
    execFileSync('openssl', ['req', '-x509', '-nodes', ...asked, '-keyout', key, '-out', certificate], {
      stdio: 'ignore',
    });
    const here = block
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
      .replace(/ssl_certificate +\S+;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key +\S+;/, `ssl_certificate_key ${key};`)
      .replace(/upstream (\w+) +\{.*\}/g, (_, name) => {
        return `upstream ${name} { server ${new URL(services[name]).host}; keepalive 64; }`;
      });
    mkdirSync(at('kept'));
    const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${at('kept')};`);
    const settings = `daemon off; master_process off; pid ${at('pid')}; error_log stderr; events {}
      http { access_log off; ${kept.join(' ')}\n${here}\n}`;
    writeFileSync(at('nginx.conf'), settings);
    this.process = spawn('nginx', ['-p', this.directory, '-c', at('nginx.conf')]);
    let said = '';
    this.process.stderr?.on('data', (text) => {
      said += text;
    });
    this.address = `https://127.0.0.1:${port}`;
    await until(async () => {
      if (this.process?.exitCode !== null) throw new Error(`nginx ended: ${said}`);
      return await listens(port);
    });
  }

  async stop(): Promise<void> {
    const { process } = this;
    if (process && process.exitCode === null) {
      const ended = new Promise((resolve) => process.once('exit', resolve));
      process.kill('SIGTERM');
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
