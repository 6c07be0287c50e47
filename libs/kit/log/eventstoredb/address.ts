/** A connection string taken apart, as far as a cluster's leader is looked for by it. */
import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { ConfigurationError } from '#config/error';

export interface Address {
  /** `host:port` of each node that is named. */
  nodes: string[];
  /** Several nodes, or a name that stands for them (`esdb+discover`). */
  isCluster: boolean;
  /** The connection string of one of the nodes alone. */
  of(node: string): string;
  credentials: ChannelCredentials;
  /** Without it: a connection without TLS. */
  tls?: SecureContextOptions;
  /** The header of user and password, as the client package makes it: over TLS alone. */
  authorization?: string;
}

const FORM = /^esdb([+]discover)?:[/]{2}([^@/?]*@)?([^@/?]+)[/]?([?].*)?$/;
const DEFAULT_PORT = 2113;

/** @throws ConfigurationError where it is no connection string, or names files that cannot be used */
export function parseAddress(url: string): Address {
  const [whole, discover, user = '', hosts = '', query = ''] = FORM.exec(url.trim()) ?? [];
  if (whole === undefined) throw new ConfigurationError('EventStoreDB is named by esdb://host:port or esdb://a,b,c');
  const nodes = hosts.split(',').map((host) => (host.includes(':') ? host : `${host}:${DEFAULT_PORT}`));
  const settings = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const file = (name: string) => {
    const path = settings.get(name.toLowerCase());
    try {
      return path === undefined ? null : readFileSync(path);
    } catch (error) {
      throw new ConfigurationError(`${name} of EventStoreDB's connection string: ${(error as Error).message}`);
    }
  };
  const secure = () => {
    const files = ['tlsCAFile', 'userKeyFile', 'userCertFile'].map(file);
    const [ca, key, cert] = files.map((bytes) => bytes ?? undefined);
    try {
      const tls = { credentials: credentials.createSsl(...files), tls: { ca, key, cert } };
      return user === '' ? tls : { ...tls, authorization: basic(user.slice(0, -1)) };
    } catch (error) {
      const { message } = error as Error;
      throw new ConfigurationError(`what the files of EventStoreDB's connection string hold is not PEM: ${message}`);
    }
  };
  return {
    nodes,
    isCluster: discover !== undefined || nodes.length > 1,
    of: (node) => `esdb://${user}${node}${query}`,
    ...(settings.get('tls') === 'false' ? { credentials: credentials.createInsecure() } : secure()),
  };
}

/** @param user `name:password`, each as a part of an address */
function basic(user: string): string {
  const pair = user.split(':').map(decodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
