/** Claims in rows: the same columns wherever they are listed. */
import type { ClaimRow } from '#client';
import { decimal, rung, ZONE } from '../format.js';
import { inWords, meaningOf } from '../words.js';
import { Mark, Status, Time, Verdict } from './show.js';
import type { Column } from './table.js';

const TIME: Column<ClaimRow> = {
  head: `Submitted (${ZONE})`,
  order: 'time',
  cell: ({ submitted_at }) => <Time at={submitted_at} as="row" />,
};
const VERDICT: Column<ClaimRow> = { head: 'Verdict', cell: ({ verdict }) => <Verdict of={verdict} /> };
const PROBABILITY: Column<ClaimRow> = {
  head: 'p(match)',
  order: 'p_match_5050',
  meaning: meaningOf('p_match_5050'),
  end: true,
  wide: true,
  cell: ({ p_match_5050 }) => decimal(p_match_5050, 3),
};
const SCORE: Column<ClaimRow> = {
  head: 'Score',
  meaning: meaningOf('fused_score'),
  end: true,
  cell: ({ fused_score }) => decimal(fused_score),
};
const THRESHOLD: Column<ClaimRow> = {
  head: 'Threshold',
  meaning: 'The bar that the score is held to. Sorted: the claims nearest to it first.',
  order: 'distance',
  end: true,
  wide: true,
  cell: ({ threshold }) => decimal(threshold),
};
/** Distance of a score above the threshold, or below it. */
const DISTANCE: Column<ClaimRow> = {
  head: 'To threshold',
  meaning: 'Score less threshold: the nearest to 0 are the closest calls.',
  end: true,
  cell: ({ fused_score, threshold }) =>
    fused_score === null || threshold === null ? '–' : decimal(fused_score - threshold),
};
const STONES: Column<ClaimRow>[] = [
  { head: 'Rough', cell: ({ rough }) => <span title={rough ?? undefined}>{rough ?? '–'}</span>, wide: true },
  { head: 'Polish', cell: ({ polish }) => <span title={polish ?? undefined}>{polish ?? '–'}</span> },
];
const LABEL: Column<ClaimRow> = {
  head: 'Label',
  meaning: 'Ground truth, as the client labelled it. The console never sets one.',
  cell: ({ label }) => (label === null ? '–' : inWords(label)),
  wide: true,
};
/** Of each claim of a population without a threshold of its own: they tell no claim from another. */
const STANDING: readonly string[] = ['uncalibrated_population', 'unvalidated_expected_genuine_accept'];
const REMARKS: Column<ClaimRow> = {
  head: 'Remarks',
  meaning: 'Findings it is behind, its review, and warnings besides those that every uncalibrated claim has.',
  cell: ({ findings, reviewed, outcome, warnings: all }) => {
    const warnings = all.filter((kind) => !STANDING.includes(kind));
    return (
      <>
        {findings.map((finding) => (
          <Mark key={finding} tone="bad" title={meaningOf(finding)}>
            {inWords(finding)}
          </Mark>
        ))}{' '}
        {reviewed && <Status code={outcome ?? 'reviewed'} />}{' '}
        {warnings.length > 0 && (
          <Mark title={warnings.map(inWords).join(', ')}>
            {warnings.length} {warnings.length === 1 ? 'warning' : 'warnings'}
          </Mark>
        )}
      </>
    );
  },
  wide: true,
};

export const CLAIM_COLUMNS: Column<ClaimRow>[] = [
  TIME,
  VERDICT,
  PROBABILITY,
  SCORE,
  THRESHOLD,
  {
    head: 'Rung',
    meaning: meaningOf('reject_target'),
    end: true,
    wide: true,
    cell: ({ reject_target }) => rung(reject_target),
  },
  ...STONES,
  REMARKS,
  { head: 'Population', cell: ({ population }) => <span title={population}>{population}</span>, wide: true },
  { head: 'Key', cell: ({ key }) => <span title={key}>{key}</span>, wide: true },
  LABEL,
];
/** Of the queue, where every verdict is the same. */
export const QUEUE_COLUMNS: Column<ClaimRow>[] = [TIME, { ...PROBABILITY, wide: false }, DISTANCE, STONES[1]];
/** On the page of a stone’s other claim. */
export const STONE_COLUMNS: Column<ClaimRow>[] = [TIME, VERDICT, PROBABILITY, ...STONES, REMARKS];

export const claimPage = ({ claim_id }: { claim_id: string }) => `/claims/${claim_id}`;
