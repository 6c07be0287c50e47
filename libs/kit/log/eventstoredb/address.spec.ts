import { parseAddress } from './address.js';

it.each(['esdb', 'kurrentdb'])('%s:// names a server, several, or a name that stands for them', (scheme) => {
  expect(parseAddress(`${scheme}://one?tls=false`)).toEqual({ nodes: ['one:2113'], isCluster: false });
  expect(parseAddress(`${scheme}://one:1,two/?tls=false`)).toEqual({ nodes: ['one:1', 'two:2113'], isCluster: true });
  expect(parseAddress(`${scheme}+discover://all:3?tls=false`)).toEqual({ nodes: ['all:3'], isCluster: true });
  const { tls, authorization } = parseAddress(`${scheme}://a%20b:c%3A@one?tlsVerifyCert=false`);
  expect([tls?.rejectUnauthorized, authorization]).toEqual([false, `Basic ${btoa('a b:c:')}`]);
  expect(parseAddress(`${scheme}://one`).tls?.rejectUnauthorized).toBe(true);
});

it.each(['', 'one:2113', 'http://one', 'esdb://', 'esdb://a@', 'kurrent://one'])('"%s" is no address', (url) => {
  expect(() => parseAddress(url)).toThrow('esdb://host:port');
});
