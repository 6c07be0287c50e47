import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { testOf } from '#domain/test/given';
import { type ClaimCommand, claimDecider, claimId, replayClaimId, sentBy } from './decide.js';
import type { ClaimEvent, Repetition, ScoringResult, Sent, ShadowScoring, Submission } from './events.js';
import type { BankedSet } from './events-bank.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const side = (digest: string) => ({
  digest: digest.repeat(64),
  scans: 6,
  duplicates: 0,
  short_coverage: false,
  references: ['1001'],
  sharpness: 0.05,
  detail_residual: 0.1,
  detail_residual_measured: 0.1,
  locally_polynomial: 0.2,
});
const unnamed: Omit<Submission, 'claim_id'> = {
  request_id: 'r1',
  key: { id: '0123456789abcdef', name: 'lab-a', kind: 'production', population: 'lab-a' },
  transport: 'json',
  reject_target: 0.98,
  model: 'c'.repeat(64),
  ladder_revision: 'shipped',
  ladder_digest: 'd'.repeat(64),
  rough: side('a'),
  polish: side('b'),
  shared_scans: 0,
  at: 'T1',
};
const claim_id = claimId(sha256, unnamed);
const submission: Submission = { ...unnamed, claim_id };
const scoring = {
  claim_id,
  request_id: 'r1',
  result: { claim_id, verdict: 'MATCH' },
  engine: 'simd',
  latency_ms: {},
  at: 'T2',
} as ScoringResult;
const repetition: Repetition = {
  claim_id,
  request_id: 'r2',
  sent: { transport: 'json', rough: ['1001'], polish: [] },
  latency_ms: {},
  at: 'T3',
};
const shadow: ShadowScoring = {
  claim_id,
  request_id: 'r1',
  model: 'e'.repeat(64),
  fused_score: 0.5,
  member_cosines: { one: 0.5 },
  engine: 'simd',
  at: 'T4',
};
const sent = sentBy(submission);
const sets = [{ side: 'rough' }, { side: 'polish' }] as BankedSet[];
const vectors = sets.map((data): ClaimEvent => ({ type: 'ScanSetBanked', version: 1, data }));
const submitted: ClaimEvent = { type: 'ClaimSubmitted', version: 2, data: submission };
const scored: ClaimEvent = { type: 'ClaimScored', version: 2, data: scoring };
const repeated: ClaimEvent = { type: 'ClaimRepeated', version: 2, data: repetition };
const shadowScored: ClaimEvent = { type: 'ClaimShadowScored', version: 1, data: shadow };
const { given, logOf } = testOf(claimDecider);

describe('claim', () => {
  it('given nothing, when submitted, then it is submitted', () => {
    expect(given().when({ type: 'submit', submission })).toEqual({ events: [submitted] });
  });

  it('given a submitted claim, when submitted again after a crash, then it is taken up', () => {
    expect(
      given(submitted).when({ type: 'submit', submission: { ...submission, request_id: 'r9', at: 'T9' } }),
    ).toEqual({ events: [] });
  });

  it('given a submitted claim, when scored, then its verdict stands behind the vectors', () => {
    expect(given(submitted).when({ type: 'score', scoring, sets, sent })).toEqual({ events: [...vectors, scored] });
    expect(given(submitted, ...vectors, scored).state).toMatchObject({
      status: 'scored',
      scoring: { result: { verdict: 'MATCH' } },
      repeats: 0,
    });
  });

  it('given a claim that a crash left, when scored by a call that sent other references, then those are kept too', () => {
    const other: Sent = { transport: 'multipart', rough: ['7001'], polish: ['7001.1'] };
    const { claim_id, request_id, latency_ms, at } = scoring;
    const kept: ClaimEvent = {
      type: 'ClaimRepeated',
      version: 2,
      data: { claim_id, request_id, latency_ms, at, sent: other },
    };
    expect(given(submitted).when({ type: 'score', scoring, sets, sent: other })).toEqual({
      events: [...vectors, scored, kept],
    });
  });

  it('given a scored claim, when scored otherwise, then the first verdict stands', () => {
    const other = { ...scoring, result: { ...scoring.result, verdict: 'NO_MATCH' as const } };
    expect(given(submitted, scored).when({ type: 'score', scoring: other, sets, sent })).toEqual({ events: [] });
  });

  it('given a scored claim, when repeated, then that is kept', () => {
    expect(given(submitted, scored).when({ type: 'repeat', repetition })).toEqual({ events: [repeated] });
    expect(given(submitted, scored, repeated, repeated).state).toMatchObject({ status: 'scored', repeats: 2 });
  });

  it('given a scored claim, another model scores it as shadow, once', () => {
    const scoredAsShadow = (scoring: ShadowScoring, ...events: ClaimEvent[]) =>
      given(...events).when({ type: 'score_shadow', scoring, sets });
    expect(scoredAsShadow(shadow, submitted, scored)).toEqual({ events: [...vectors, shadowScored] });
    expect(scoredAsShadow(shadow, submitted, scored, repeated, shadowScored)).toEqual({ events: [] });
    expect(scoredAsShadow({ ...shadow, model: 'f'.repeat(64) }, submitted, scored, shadowScored)).toMatchObject({
      events: [...vectors, { type: 'ClaimShadowScored' }],
    });
    expect(given(submitted, scored, shadowScored, repeated).state).toMatchObject({ scoring, shadows: [shadow.model] });
    expect(scoredAsShadow(shadow, submitted)).toEqual({ refusal: 'not_scored' });
    expect(scoredAsShadow({ ...shadow, claim_id: 'clm_x' }, submitted, scored)).toEqual({ refusal: 'another_claim' });
    expect(scoredAsShadow({ ...shadow, model: submission.model }, submitted, scored)).toEqual({
      refusal: 'scored_by_this_model',
    });
  });

  it('refuses what comes too early', () => {
    expect(given().when({ type: 'score', scoring, sets, sent })).toEqual({ refusal: 'not_submitted' });
    expect(given().when({ type: 'repeat', repetition })).toEqual({ refusal: 'not_scored' });
    expect(given(submitted).when({ type: 'repeat', repetition })).toEqual({ refusal: 'not_scored' });
  });

  it('refuses what belongs to another claim', () => {
    const other = { ...submission, polish: side('d') };
    expect(given(submitted).when({ type: 'submit', submission: other })).toEqual({ refusal: 'another_claim' });
    expect(given(submitted).when({ type: 'score', scoring: { ...scoring, claim_id: 'clm_x' }, sets, sent })).toEqual({
      refusal: 'another_claim',
    });
    expect(given(submitted, scored).when({ type: 'repeat', repetition: { ...repetition, claim_id: 'clm_x' } })).toEqual(
      {
        refusal: 'another_claim',
      },
    );
  });

  it('under any sequence of commands is submitted once, scored at most once and only then repeated or scored as shadow', () => {
    const command = fc.constantFrom<ClaimCommand>(
      { type: 'submit', submission },
      { type: 'submit', submission: { ...submission, request_id: 'r5' } },
      { type: 'score', scoring, sets, sent },
      { type: 'score', scoring: { ...scoring, result: { ...scoring.result, verdict: 'NO_MATCH' } }, sets, sent },
      { type: 'score', scoring: { ...scoring, claim_id: 'clm_other' }, sets, sent },
      { type: 'score', scoring, sets, sent: { ...sent, rough: ['other'] } },
      { type: 'repeat', repetition },
      { type: 'score_shadow', scoring: shadow, sets },
    );
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        const log = logOf(commands);
        const verdicts = new Set<string>();
        for (const i of log.keys()) {
          const { state } = given(...log.slice(0, i + 1));
          if (state.status === 'scored') verdicts.add(state.scoring.result.verdict);
        }
        expect(
          log
            .map(({ type }) => type)
            .join()
            .replaceAll(',ScanSetBanked,ScanSetBanked', 'VECTORS'),
        ).toMatch(
          /^(ClaimSubmitted(VECTORS,ClaimScored(,ClaimRepeated)*(VECTORS,ClaimShadowScored(,ClaimRepeated)*)?)?)?$/,
        );
        expect(verdicts.size).toBeLessThanOrEqual(1);
      }),
    );
  });

  describe('id', () => {
    it('is the same for a retry, whatever else the request says', () => {
      expect(claim_id).toMatch(/^clm_[0-9a-f]{32}$/);
      expect(claimId(sha256, { ...unnamed, request_id: 'r7', transport: 'multipart', at: 'T7' })).toBe(claim_id);
    });

    it('is another with another key, side, order of sides, rung, model or ladder', () => {
      const others: Partial<Submission>[] = [
        { key: { ...unnamed.key, id: 'f'.repeat(16) } },
        { rough: side('d') },
        { polish: side('d') },
        { rough: unnamed.polish, polish: unnamed.rough },
        { reject_target: 0.97 },
        { model: 'd'.repeat(64) },
        { ladder_revision: 'approved-3' },
      ];
      const ids = others.map((other) => claimId(sha256, { ...unnamed, ...other }));
      expect(new Set([claim_id, ...ids]).size).toBe(others.length + 1);
    });

    it('is known by its head digits no more than by all of them', () => {
      const twin = { ...side('a'), digest: `${'a'.repeat(63)}b` };
      expect(claimId(sha256, { ...unnamed, rough: twin })).not.toBe(claim_id);
    });

    it('of a replay looks alike and is never a claim', () => {
      expect(replayClaimId(sha256, 'r1', 'T1')).toMatch(/^clm_[0-9a-f]{32}$/);
      expect(replayClaimId(sha256, 'r1', 'T1')).not.toBe(claim_id);
    });
  });
});
