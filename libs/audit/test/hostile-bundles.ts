/**
 * Changes by a forger or a broken tool to a sound bundle, all hashes made to fit. No verifier may find one of them sound.
 */
import {
  added,
  type Change,
  event,
  first,
  isApproval,
  listing,
  manifest,
  rewrite,
  rewriteDecisions,
} from './changes.js';
import { eventsOf, putEvents, refit } from './forge.js';
import { HOSTILE_VALUES } from './hostile-values.js';

export const HOSTILE: [name: string, change: Change][] = [
  ...HOSTILE_VALUES,
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
    'a line twice',
    (files) => {
      const events = eventsOf(files);
      events.splice(1, 0, structuredClone(events[0]));
      putEvents(files, events);
    },
  ],
  [
    'two lines of a stream exchanged',
    (files) => {
      const events = eventsOf(files);
      const second = events.findIndex(({ stream }, i) => events.findIndex((one) => one.stream === stream) < i);
      const before = events.findIndex(({ stream }) => stream === events[second].stream);
      [events[before], events[second]] = [events[second], events[before]];
      putEvents(files, events);
    },
  ],
  [
    'a time of another zone',
    event('ClaimLabelled', (one) => {
      one.recorded_at = one.recorded_at.replace('Z', '+00:00');
    }),
  ],
  [
    'a time of another zone inside',
    event('ScanSetBanked', ({ data }) => {
      data.at = data.at.replace('Z', '+00:00');
    }),
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
