import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { admissionFault } from '#catalogue/admission';
import { catalogue } from '#catalogue/catalogue';
import { PROJECTIONS } from '#catalogue/projections';
import { type Data, dataOf, EVENT_TYPES, type EventType, spoiled } from '#catalogue/test/arbitrary';
import { upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import type { KeyFacts } from '#keys/events';
import { keyOf, TestLog } from './test/log.js';
import { ViewFile } from './view-file.js';

const directory = mkdtempSync(join(tmpdir(), 'mvs-admission-'));
const log = new TestLog();
let views: ViewFile[];
let folded = 0;
beforeAll(() => {
  views = PROJECTIONS.map((projection) => new ViewFile(projection, directory));
});
afterAll(() => {
  for (const view of views) view.close();
  rmSync(directory, { recursive: true });
});

/** The events that have to come before one of the type, and the event that follows from them. */
function following(type: EventType, data: Data): { stream: string; data: Data } {
  const key = keyOf('lab-a');
  const stone = { stone: `stone ${log.events.length}` };
  const claim = (unscored: boolean) => log.claim({ key, rough: stone, polish: stone, unscored });
  switch (type) {
    case 'ClaimSubmitted':
    case 'ClaimReplayed': {
      const claim_id = `clm_${type}_${log.events.length}`;
      const { id } = data.key as KeyFacts;
      const stream = type === 'ClaimSubmitted' ? streams.claim(id, claim_id) : streams.telemetry(id);
      return { stream, data: { ...data, claim_id } };
    }
    case 'ClaimReviewed': {
      const claim_id = claim(false);
      return { stream: streams.review(claim_id), data: { ...data, claim_id } };
    }
    case 'ClaimScored':
    case 'ClaimRepeated':
    case 'ClaimShadowScored': {
      const claim_id = claim(type === 'ClaimScored');
      return { stream: streams.claim(key.id, claim_id), data: { ...data, claim_id } };
    }
    case 'ClaimLabelled':
    case 'LabelAmended':
      return { stream: streams.labels(key.id), data: { ...data, claim_id: claim(false) } };
    case 'ClaimRefused':
      return { stream: streams.telemetry((data.key as KeyFacts).id), data };
    case 'KeyCreated': {
      const id = log.events.length.toString(16).padStart(16, 'f');
      return { stream: streams.key(id), data: { ...data, key: { ...(data.key as KeyFacts), id } } };
    }
    case 'KeyChanged':
    case 'KeyRevocationBegan':
    case 'KeyRevoked':
      claim(true);
      return { stream: streams.key(key.id), data: { ...data, key_id: key.id } };
    case 'WorkspaceCreated':
    case 'WorkspaceUsed':
    case 'WorkspaceRevoked': {
      const id = log.events.length.toString(16).padStart(16, 'f');
      return { stream: streams.workspace(id), data: { ...data, workspace: { ...(data.workspace as object), id } } };
    }
    case 'LotEnrolled':
    case 'LotChecked':
    case 'LotRehearsed': {
      const { id } = data.workspace as { id: string };
      const own = {
        lot_id: `lot_${log.events.length}`,
        check_id: `chk_${log.events.length}`,
        rehearsal_id: `reh_${log.events.length}`,
      };
      const names = { LotEnrolled: 'lot_id', LotChecked: 'check_id', LotRehearsed: 'rehearsal_id' } as const;
      const name = names[type];
      const of = { LotEnrolled: streams.lot, LotChecked: streams.lotCheck, LotRehearsed: streams.rehearsal }[type];
      return { stream: of(id, own[name]), data: { ...data, [name]: own[name] } };
    }
    case 'ScanSetBanked': {
      const { population, model, digest } = data as Record<string, string>;
      return { stream: streams.bank(population, model, digest), data };
    }
    default: {
      const stream = streamsOf(data).find((one) => catalogue[type].belongs(one, data as never));
      if (stream === undefined) throw new TypeError(`no stream is known for ${type}: say here what it stands in`);
      return { stream, data };
    }
  }
}

/** Streams that an event with these members may stand in. */
function streamsOf(data: Data): string[] {
  const { population, scorer, finding_id, lot_id } = data as Record<string, string>;
  const { id: workspace } = (data.workspace ?? {}) as { id: string };
  return [
    ...(workspace === undefined ? [] : [streams.lotScorer(workspace), streams.lot(workspace, 'lot_of this name')]),
    ...(lot_id === undefined ? [] : [streams.lot(workspace, lot_id)]),
    ...(finding_id === undefined ? [] : [streams.finding(finding_id)]),
    ...(typeof scorer === 'string' ? [streams.scorer(population, scorer)] : []),
    ...(population === undefined
      ? []
      : [streams.calibration, streams.drift, streams.figure, streams.rejectedDecisions].map((of) => of(population))),
    ...[streams.model(), streams.log(), streams.views(), streams.edge()],
  ];
}

/** Everything that was appended since, through every view. @throws PoisonedEvent */
function foldAll(): void {
  for (const event of log.events.slice(folded)) {
    expect(upcast(event)).toBe(event);
    for (const view of views) view.take(event);
  }
  folded = log.events.length;
}
/** Into their files. */
afterEach(() => {
  for (const view of views) view.commit();
});

describe.each(EVENT_TYPES)('%s', (type) => {
  const { version } = catalogue[type];

  it('is taken by every view, whatever its schema lets it hold', () => {
    fc.assert(
      fc.property(dataOf(type), (given) => {
        const { stream, data } = following(type, given);
        expect(admissionFault(stream, { type, version, data })).toBeUndefined();
        log.append(stream, { type, version, data });
        foldAll();
      }),
      { numRuns: 30 },
    );
  });

  it('is refused at the append, or taken by every view, however a member is spoiled', () => {
    let refused = 0;
    const cases = dataOf(type).chain((given) => {
      const { stream, data } = following(type, given);
      return fc.tuple(fc.constant(stream), spoiled(data));
    });
    fc.assert(
      fc.property(cases, ([stream, data]) => {
        if (admissionFault(stream, { type, version, data }) === undefined) log.append(stream, { type, version, data });
        else refused++;
        foldAll();
      }),
      { numRuns: 100 },
    );
    // Of an event without members about half.
    expect(refused).toBeGreaterThan(30);
  });
});
