/** A connection string taken apart, as far as a cluster's leader is looked for by it. */
import { readFileSync } from 'node:fs';
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
    try {
      return credentials.createSsl(...files);
    } catch (error) {
      const { message } = error as Error;
      throw new ConfigurationError(`what the files of EventStoreDB's connection string hold is not PEM: ${message}`);
    }
  };
  return {
    nodes,
    isCluster: discover !== undefined || nodes.length > 1,
    of: (node) => `esdb://${user}${node}${query}`,
    credentials: settings.get('tls') === 'false' ? credentials.createInsecure() : secure(),
  };
}
