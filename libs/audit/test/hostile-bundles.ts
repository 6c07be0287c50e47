/** What a forger or a broken tool may make of a sound bundle, all hashes made to fit. No verifier may find one of them sound. */
import { expect } from '@jest/globals';
import { changeEvents, eventsOf, type Files, type Line, putEvents, refit } from './forge.js';

export const isApproval = ({ type }: Line) => type === 'RungApproved';
/** The first event of a type. */
const first = (events: Line[], type: string): Line => events.find((event) => event.type === type)!;

type Change = (files: Files) => void;
/** Another text in a file, all hashes made to fit. */
const rewrite =
  (path: string, from: string | RegExp, to: string): Change =>
  (files) => {
    const before = files.get(path)!.toString('latin1');
    const after = before.replace(from, to);
    expect(after).not.toBe(before);
    files.set(path, Buffer.from(after, 'latin1'));
    if (path !== 'manifest.json') refit(files);
  };
/** The same in both files that hold decisions. */
const rewriteDecisions =
  (from: string, to: string): Change =>
  (files) => {
    rewrite('events.ndjson', new RegExp(from), to)(files);
    rewrite('decisions.json', new RegExp(from.replaceAll('":', '": ')), to.replaceAll('":', '": '))(files);
  };
const event =
  (type: string, change: (event: Line) => void): Change =>
  (files) => {
    const events = eventsOf(files);
    change(first(events, type));
    putEvents(files, events);
  };
const claims =
  (change: (text: string) => string): Change =>
  (files) => {
    const path = [...files.keys()].find((one) => one.endsWith('claims.ndjson'))!;
    const before = files.get(path)!.toString('latin1');
    const after = change(before);
    expect(after).not.toBe(before);
    files.set(path, Buffer.from(after, 'latin1'));
    refit(files);
  };
const vectors =
  (change: (bytes: Buffer) => Buffer, shape?: number[]): Change =>
  (files) => {
    const path = [...files.keys()].find((one) => one.endsWith('.f32'))!;
    files.set(path, change(Buffer.from(files.get(path)!)));
    if (shape) {
      const manifest = JSON.parse(files.get('manifest.json')!.toString());
      for (const entry of manifest.files) if (entry.shape) entry.shape = shape;
      files.set('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    }
    refit(files);
  };
/** A listing or a manifest as a forger has it. */
// biome-ignore lint/suspicious/noExplicitAny: he puts in what he likes
type Anything = Record<string, any>;
const listing =
  (change: (listing: Anything) => object | undefined): Change =>
  (files) => {
    const before = JSON.parse(files.get('decisions.json')!.toString());
    const after = change(before) ?? before;
    files.set('decisions.json', Buffer.from(`${JSON.stringify(after, null, 1)}\n`));
    refit(files);
  };
const manifest =
  (change: (manifest: Anything) => void): Change =>
  (files) => {
    const after = JSON.parse(files.get('manifest.json')!.toString());
    change(after);
    files.set('manifest.json', Buffer.from(`${JSON.stringify(after, null, 1)}\n`));
  };
const added =
  (path: string): Change =>
  (files) => {
    files.set(path, Buffer.from('x'));
    refit(files);
  };
const bytesIn = (path: string, ...bytes: number[]): Change =>
  rewrite(path, 'enough claims', `enough ${String.fromCharCode(...bytes)}`);
const BOM = '\xef\xbb\xbf';
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

export const HOSTILE: [name: string, change: Change][] = [
  // The forged approval: the service goes by the type, and by the member whoever spreads the data behind it.
  [
    'a member "event" in an approval',
    event('RungApproved', ({ data }) => {
      data.proposal.threshold = 0.1;
      data.event = 'RungWithdrawn';
    }),
  ],
  [
    'a member "revision" in a withdrawal',
    event('RungWithdrawn', ({ data }) => {
      data.revision = 0;
    }),
  ],
  [
    'a member "type" in a request',
    event('ApprovalRequested', ({ data }) => {
      data.type = 'RungApproved';
    }),
  ],
  [
    'a member "__proto__" in an approval',
    rewriteDecisions('"requested_by":"anna"', '"requested_by":"anna","__proto__":1'),
  ],
  [
    'a member more in a proposal',
    event('RungApproved', ({ data }) => {
      data.proposal.more = 1;
    }),
  ],
  [
    'a member more in a side',
    event('ClaimSubmitted', ({ data }) => {
      data.rough.more = 1;
    }),
  ],
  [
    'a member more in an event',
    event('ClaimScored', (one) => {
      (one as { more?: number }).more = 1;
    }),
  ],
  [
    'a member less',
    event('ClaimScored', ({ data }) => {
      delete data.engine;
    }),
  ],
  ['a member more in claims.ndjson', claims((text) => text.replace('"row":0', '"row":0,"more":1'))],
  [
    'a member more in decisions.json',
    listing((one) => {
      one.more = 1;
    }),
  ],
  [
    'a member more in the manifest',
    manifest((one) => {
      one.more = 1;
    }),
  ],
  // Numbers.
  ['13682.0 for 13682', rewrite('manifest.json', /"bytes": (\d+)/, '"bytes": $1.0')],
  ['1.2e3 for 1200', rewrite('manifest.json', /"bytes": (\d)(\d+)/, '"bytes": $1.$2e0')],
  ['a zero at the end of a fraction', rewriteDecisions('"threshold":(0\\.\\d+)', '"threshold":$10')],
  ['NaN', rewriteDecisions('"threshold":0\\.\\d+', '"threshold":NaN')],
  ['Infinity', rewriteDecisions('"threshold":0\\.\\d+', '"threshold":Infinity')],
  ['1e999', rewriteDecisions('"threshold":0\\.\\d+', '"threshold":1e999')],
  ['1e-999', rewriteDecisions('"threshold":0\\.\\d+', '"threshold":1e-999')],
  ['1e+21', rewriteDecisions('"threshold":0\\.\\d+', '"threshold":1e+21')],
  ['-0', rewriteDecisions('"revision":0', '"revision":-0')],
  ['a whole number beyond 2^53', rewriteDecisions('"pairs":\\d+', '"pairs":9007199254740993')],
  ['2^53 itself', rewriteDecisions('"pairs":\\d+', '"pairs":9007199254740992')],
  ['a number of 5,000 digits', rewriteDecisions('"pairs":\\d+', `"pairs":${'9'.repeat(5000)}`)],
  ['a number of 400 digits', rewriteDecisions('"pairs":\\d+', `"pairs":${'9'.repeat(400)}`)],
  ['a number with a plus', rewriteDecisions('"pairs":(\\d+)', '"pairs":+$1')],
  ['a number with a zero before it', rewriteDecisions('"pairs":(\\d+)', '"pairs":0$1')],
  ['true for 1', rewriteDecisions('"decisions":0', '"decisions":false')],
  ['a text for a number', rewriteDecisions('"pairs":(\\d+)', '"pairs":"$1"')],
  [
    'null for a gauge',
    event('ClaimSubmitted', ({ data }) => {
      data.rough.detail_residual = null;
    }),
  ],
  ['a rung of 0.984', rewriteDecisions('"reject_target":0\\.99', '"reject_target":0.984')],
  [
    'a rung that is never approved',
    event('RungApproved', ({ data }) => {
      data.reject_target = 0.9;
    }),
  ],
  // Texts.
  ['a byte order mark before the manifest', rewrite('manifest.json', /^/, BOM)],
  ['a byte order mark before the decisions', rewrite('decisions.json', /^/, BOM)],
  ['a byte order mark before the events', rewrite('events.ndjson', /^/, BOM)],
  ['a byte that is no UTF-8', bytesIn('events.ndjson', 0xff)],
  ['an overlong form', bytesIn('events.ndjson', 0xc0, 0xaf)],
  ['half of a surrogate pair as bytes', bytesIn('events.ndjson', 0xed, 0xa0, 0x80)],
  ['bytes that are no UTF-8 in the decisions', bytesIn('decisions.json', 0x80)],
  ['half of a surrogate pair in large letters', rewrite('events.ndjson', '\\ud800', '\\uD800')],
  ['a surrogate pair as escapes', rewriteDecisions('enough claims', 'enough \\\\ud83d\\\\ude00')],
  ['an escape that none needs', rewriteDecisions('enough claims', '\\\\u0065nough claims')],
  ['an escaped slash', rewriteDecisions('enough claims', 'enough\\\\/claims')],
  [
    'half of a surrogate pair in the population',
    listing((one) => {
      one.population += '\ud800';
    }),
  ],
  ['a member twice', rewriteDecisions('"requested_by":"anna"', '"requested_by":"anna","requested_by":"anna"')],
  [
    'a member twice, by an escape',
    rewriteDecisions('"requested_by":"anna"', '"requested_by":"anna","requested_b\\\\u0079":null'),
  ],
  ['a blank', rewrite('events.ndjson', '"revision":', '"revision": ')],
  ['a carriage return', rewrite('events.ndjson', /\n/g, '\r\n')],
  ['an empty line', rewrite('events.ndjson', '\n', '\n\n')],
  ['a last line that is cut', rewrite('events.ndjson', /\n$/, '')],
  ['an empty line at the end of the decisions', rewrite('decisions.json', /$/, '\n')],
  ['a NUL at the end', rewrite('events.ndjson', /$/, '\0')],
  ['lists in lists', rewriteDecisions('"requested_by":"anna"', `"requested_by":${DEEP}`)],
  ['lists in lists in the manifest', rewrite('manifest.json', '"mvs-audit/2"', DEEP)],
  [
    'a line of 9 MB',
    event('ClaimSubmitted', ({ data }) => {
      data.request_id = 'x'.repeat(9 << 20);
    }),
  ],
  ['no object in a line', rewrite('events.ndjson', /^.*\n/, 'null\n')],
  [
    'members in another order',
    (files) => {
      changeEvents(files, (one) =>
        Object.assign(one, { data: Object.fromEntries(Object.entries(one.data).reverse()) }),
      );
      listing((one) => ({ decisions: one.decisions, ...one }))(files);
    },
  ],
  ['an event in another order', rewrite('events.ndjson', /("stream":"[^"]*"),("revision":0)/, '$2,$1')],
  ['a claim in another order', claims((text) => text.replace(/("claim_id":"[^"]*"),(.*)}\n/, '$2,$1}\n'))],
  [
    'a reference in another order',
    claims((text) => text.replace(/("digest":"\w+"),("references":\[[^\]]*\])/, '$2,$1')),
  ],
  [
    'members named by digits',
    event('ClaimScored', ({ data }) => {
      data.latency_ms = { b: 1, 1: 2 };
    }),
  ],
  // Vectors.
  ['vectors one byte longer', vectors((bytes) => Buffer.concat([bytes, Buffer.alloc(1)]))],
  ['vectors a row longer', vectors((bytes) => Buffer.concat([bytes, Buffer.alloc(1024)]), [89, 1, 256])],
  ['vectors one value shorter', vectors((bytes) => bytes.subarray(4))],
  ['a shape of other encoders', vectors((bytes) => bytes, [44, 2, 256])],
  ['a shape of no encoders', vectors((bytes) => bytes, [88, 0, 256])],
  [
    'a NaN among the vectors',
    vectors((bytes) => {
      bytes.writeFloatLE(Number.NaN, 0);
      return bytes;
    }),
  ],
  [
    'a NaN among banked vectors',
    event('ScanSetBanked', ({ data }) => {
      const bytes = Buffer.from(data.vectors.one, 'base64');
      bytes.writeFloatLE(Number.NaN, 0);
      data.vectors.one = bytes.toString('base64');
    }),
  ],
  [
    'base64url',
    (files) =>
      changeEvents(files, ({ data }) => {
        if (data.vectors) data.vectors.one = data.vectors.one.replaceAll('+', '-').replaceAll('/', '_');
      }),
  ],
  [
    'base64 without its end',
    event('ScanSetBanked', ({ data }) => {
      data.vectors.one = data.vectors.one.replace(/=+$/, '');
    }),
  ],
  [
    'base64 with a line feed',
    event('ScanSetBanked', ({ data }) => {
      data.vectors.one = `\n${data.vectors.one}`;
    }),
  ],
  [
    'base64 with bits to spare',
    event('ScanSetBanked', ({ data }) => {
      data.vectors.one = data.vectors.one.replace(/.==$/, 'B==');
    }),
  ],
  [
    'a set without its vectors',
    event('ScanSetBanked', ({ data }) => {
      data.vectors = {};
    }),
  ],
  ['a row below nought', claims((text) => text.replace('"row":0', '"row":-1'))],
  ['a row beyond the last', claims((text) => text.replace('"row":0', '"row":88'))],
  ['a row of a fraction', claims((text) => text.replace('"row":0', '"row":0.5'))],
  ['a row of 0.0', claims((text) => text.replace('"row":0', '"row":0.0'))],
  ['true for a row', claims((text) => text.replace('"row":1', '"row":true'))],
  ['a claim less', claims((text) => text.replace(/.*\n$/, ''))],
  ['two claims exchanged', claims((text) => text.replace(/^(.*\n)(.*\n)/, '$2$1'))],
  // Decisions.
  [
    'a model listed twice',
    listing((one) => {
      one.models.push(one.models[0]);
    }),
  ],
  [
    'a model that nothing rests on',
    (files) => {
      const folder = `evidence/${'b'.repeat(64)}`;
      for (const path of [...files.keys()].filter((one) => one.startsWith('evidence/')))
        files.set(`${folder}/${path.split('/')[2]}`, path.endsWith('.f32') ? Buffer.alloc(0) : Buffer.alloc(0));
      manifest((one) => {
        one.files.push({ bytes: 0, path: `${folder}/vectors.f32`, sha256: '', shape: [0, 1, 256], type: 'float32le' });
      })(files);
      listing((one) => {
        one.models.push({ model: 'b'.repeat(64), encoders: ['one'], claims: 0 });
      })(files);
    },
  ],
  ['the evidence of a model that is not listed', added(`evidence/${'b'.repeat(64)}/card.json`)],
  [
    'no model',
    listing((one) => {
      one.models = [];
    }),
  ],
  [
    'no encoders',
    listing((one) => {
      one.models[0].encoders = [];
    }),
  ],
  [
    'an encoder twice',
    listing((one) => {
      one.models[0].encoders = ['one', 'one'];
    }),
  ],
  [
    'more claims than there are',
    listing((one) => {
      one.models[0].claims = 45;
    }),
  ],
  [
    'an approval on no claims',
    event('RungApproved', ({ data }) => {
      data.proposal.claims = 0;
    }),
  ],
  [
    'an approval on more claims than there are',
    event('RungApproved', ({ data }) => {
      data.proposal.claims = 2 ** 50;
    }),
  ],
  [
    'a decision less',
    listing((one) => {
      one.decisions.pop();
    }),
  ],
  [
    'a decision more',
    listing((one) => {
      one.decisions.push(one.decisions[0]);
    }),
  ],
  [
    'decisions that are none',
    listing((one) => {
      one.decisions = [null, 1, 'x', []];
    }),
  ],
  [
    'another method',
    listing((one) => {
      one.method = 'cross-pairs/2';
    }),
  ],
  [
    'a decision of another population',
    event('RungWithdrawn', ({ data }) => {
      data.population = 'another';
    }),
  ],
  [
    'a decision in another stream',
    event('RungWithdrawn', (one) => {
      one.stream = 'calibration-another';
    }),
  ],
  [
    'two decisions exchanged',
    (files) => {
      const events = eventsOf(files);
      const [one, other] = events.filter(({ stream }) => stream.startsWith('calibration-'));
      [one.revision, other.revision] = [1, 0];
      putEvents(files, events);
    },
  ],
  [
    'an unknown event',
    event('ClaimLabelled', (one) => {
      one.type = 'Surprise';
    }),
  ],
  [
    'an event named as what every object has',
    event('ClaimLabelled', (one) => {
      one.type = 'constructor';
    }),
  ],
  [
    'an event of version 3',
    event('RungWithdrawn', (one) => {
      one.version = 3;
    }),
  ],
  [
    'an event of version 0',
    event('RungWithdrawn', (one) => {
      one.version = 0;
    }),
  ],
  [
    'an id that is none',
    event('ClaimScored', (one) => {
      one.id = one.id.replaceAll('a', 'A');
    }),
  ],
  [
    'a time that is none',
    event('ClaimScored', (one) => {
      one.recorded_at = 'yesterday';
    }),
  ],
  [
    'metadata that are no texts',
    event('ClaimScored', (one) => {
      one.metadata = { correlationId: 1 as never };
    }),
  ],
  // The chain.
  ['a reason changed without the chain', rewriteDecisions('"reason":"enough claims"', '"reason":"no claims"')],
  [
    'another chain root',
    listing((one) => {
      one.chain_root = '0'.repeat(64);
    }),
  ],
  ['no chain root', listing(({ chain_root: _, ...one }) => one)],
  ['a chain that is broken', rewriteDecisions('"chain":"\\w{4}', '"chain":"0000')],
  [
    'an old decision after a chained one',
    (files) => {
      const events = eventsOf(files);
      first(events, 'RungApproved').version = 2;
      const { data, ...last } = events.findLast(isApproval)!;
      const { chain: _, ...rest } = data;
      putEvents(
        files,
        events.map((one) => (one.id === last.id ? { ...last, version: 1, data: rest } : one)),
      );
    },
  ],
  ['a chained decision in a bundle of before', (files) => putEvents(files, eventsOf(files), 'mvs-audit/1')],
  [
    'another format',
    manifest((one) => {
      one.format = 'mvs-audit/3';
    }),
  ],
  // Files.
  [
    'a file more',
    (files) => {
      files.set('more.txt', Buffer.from('x'));
    },
  ],
  ['a file more, named', added('more.txt')],
  [
    'a file less',
    (files) => {
      files.delete('method.md');
    },
  ],
  [
    'no events',
    (files) => {
      files.delete('events.ndjson');
      refit(files);
    },
  ],
  [
    'a file beside a folder of its name',
    (files) => {
      files.set('verify.mjs/a', files.get('verify.mjs')!);
      files.delete('verify.mjs');
      refit(files);
    },
  ],
  [
    'the manifest named in itself',
    manifest((one) => {
      one.files.push({ ...one.files[0], path: 'manifest.json' });
      one.files.sort((a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1));
    }),
  ],
  [
    'a path out of the folder',
    manifest((one) => {
      one.files.unshift({ ...one.files[0], path: '../secret' });
    }),
  ],
  [
    'a path from the root',
    manifest((one) => {
      one.files.unshift({ ...one.files[0], path: '/etc/passwd' });
    }),
  ],
  [
    'a path that is no text',
    manifest((one) => {
      one.files[0].path = 7;
    }),
  ],
  [
    'a path twice',
    manifest((one) => {
      one.files.splice(1, 0, one.files[0]);
    }),
  ],
  [
    'files in another order',
    manifest((one) => {
      one.files.reverse();
    }),
  ],
  [
    'a size that is not the file’s',
    manifest((one) => {
      one.files[0].bytes = 2 ** 52;
    }),
  ],
  [
    'a manifest of 2 MB',
    manifest((one) => {
      one.format = 'x'.repeat(2 << 20);
    }),
  ],
  ['a manifest that is a list', rewrite('manifest.json', /^.*$/s, '[]\n')],
  ['an empty manifest', rewrite('manifest.json', /^.*$/s, '')],
];
