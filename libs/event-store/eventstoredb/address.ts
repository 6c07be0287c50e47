/** A connection string taken apart, as far as a cluster's leader is looked for by it. */
import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

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

/** @throws Error where it is no connection string */
export function parseAddress(url: string): Address {
  const [whole, discover, user = '', hosts = '', query = ''] = FORM.exec(url.trim()) ?? [];
  if (whole === undefined) throw new Error('EventStoreDB is named by esdb://host:port or esdb://a,b,c');
  const nodes = hosts.split(',').map((host) => (host.includes(':') ? host : `${host}:${DEFAULT_PORT}`));
  const settings = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const file = (name: string) => {
    const path = settings.get(name);
    return path === undefined ? null : readFileSync(path);
  };
  return {
    nodes,
    isCluster: discover !== undefined || nodes.length > 1,
    of: (node) => `esdb://${user}${node}${query}`,
    credentials:
      settings.get('tls') === 'false'
        ? credentials.createInsecure()
        : credentials.createSsl(file('tlscafile'), file('userkeyfile'), file('usercertfile')),
  };
}
