/** A connection string taken apart, once for all servers that speak this protocol: EventStoreDB and KurrentDB. */
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigurationError } from '#config/error';

export interface Address {
  /** `host:port` of each node that is named. */
  nodes: string[];
  /** Several nodes, or a name that stands for them (`+discover`). */
  isCluster: boolean;
  /** Without it: a connection without TLS. */
  tls?: SecureContextOptions & { rejectUnauthorized: boolean };
  /** The header of user and password: over TLS alone. */
  authorization?: string;
}

const FORM = /^(?:esdb|kurrentdb)([+]discover)?:[/]{2}([^@/?]*@)?([^@/?]+)[/]?([?].*)?$/;
const DEFAULT_PORT = 2113;

/** @throws ConfigurationError where it is no connection string, or names files that cannot be used */
export function parseAddress(url: string): Address {
  const [whole, discover, user = '', hosts = '', query = ''] = FORM.exec(url.trim()) ?? [];
  if (whole === undefined)
    throw new ConfigurationError("the log's server is named by esdb://host:port or esdb://a,b,c, or kurrentdb://...");
  const nodes = hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`));
  const settings = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const file = (name: string) => {
    const path = settings.get(name.toLowerCase());
    try {
      return path === undefined ? undefined : readFileSync(path);
    } catch (error) {
      throw new ConfigurationError(`${name} of EventStoreDB's connection string: ${(error as Error).message}`);
    }
  };
  const address = { nodes, isCluster: discover !== undefined || nodes.length > 1 };
  if (settings.get('tls') === 'false') return address;
  const [ca, key, cert] = ['tlsCAFile', 'userKeyFile', 'userCertFile'].map(file);
  try {
    createSecureContext({ ca, key, cert });
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigurationError(`what the files of EventStoreDB's connection string hold is not PEM: ${message}`);
  }
  const tls = { ca, key, cert, rejectUnauthorized: settings.get('tlsverifycert') !== 'false' };
  return { ...address, tls, ...(user !== '' && { authorization: basic(user.slice(0, -1)) }) };
}

/** @param user `name:password`, each as a part of an address */
function basic(user: string): string {
  const pair = user.split(':').map(decodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
