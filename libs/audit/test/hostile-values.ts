/** Bundles with members, numbers, texts or vectors that a sound one does not have. */
import {
  BOM,
  bytesIn,
  type Change,
  claims,
  DEEP,
  event,
  listing,
  manifest,
  rewrite,
  rewriteDecisions,
  vectors,
} from './changes.js';
import { changeEvents } from './forge.js';

export const HOSTILE_VALUES: [name: string, change: Change][] = [
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
  ['vectors one row longer', vectors((bytes) => Buffer.concat([bytes, Buffer.alloc(1024)]), [89, 1, 256])],
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
];
