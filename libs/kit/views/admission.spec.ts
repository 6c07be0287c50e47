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
    case 'LotRenamed':
    case 'LotSessionCorrected':
    case 'LotRetired':
    case 'LotNameTaken': {
      const { id } = data.workspace as { id: string };
      const lot_id = `lot_${log.events.length}`;
      return { stream: streams.lot(id, lot_id), data: { ...data, lot_id } };
    }
    case 'LotScorerRequested':
    case 'LotScorerApproved':
    case 'LotScorerWithdrawn':
      return { stream: streams.lotScorer((data.workspace as { id: string }).id), data };
    case 'ScanSetBanked': {
      const { population, model, digest } = data as Record<string, string>;
      return { stream: streams.bank(population, model, digest), data };
    }
    case 'ApprovalRequested':
    case 'RungApproved':
    case 'RungWithdrawn':
    case 'ScorerRequested':
    case 'ScorerApproved':
    case 'ScorerWithdrawn':
      return { stream: streams.calibration(String(data.population)), data };
    case 'DriftBegan':
    case 'DriftEnded':
      return { stream: streams.drift(String(data.population)), data };
    case 'ScorerPart':
      return { stream: streams.scorer(String(data.population), String(data.scorer)), data };
    case 'CarriedMeasured':
      return { stream: streams.figure(String(data.population)), data };
    case 'DecisionPassedOver':
      return { stream: streams.rejectedDecisions(String(data.population)), data };
    case 'FindingReviewed':
      return { stream: streams.finding(String(data.finding_id)), data };
    case 'ModelSwitched':
      return { stream: streams.model(), data };
    case 'LogBegun':
    case 'LogImported':
    case 'LogSealed':
    case 'RowsDisowned':
      return { stream: streams.log(), data };
    case 'ViewSkipped':
      return { stream: streams.views(), data };
    case 'LossAccepted':
      return { stream: streams.log(), data };
    case 'RefusalsCounted':
    case 'EventLost':
    case 'NoEvent':
      return { stream: streams.edge(), data };
  }
}

/** Everything that was appended since, through every view into its file. @throws PoisonedEvent */
function foldAll(): void {
  for (const event of log.events.slice(folded)) {
    expect(upcast(event)).toBe(event);
    for (const view of views) view.take(event);
  }
  for (const view of views) view.commit();
  folded = log.events.length;
}

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
