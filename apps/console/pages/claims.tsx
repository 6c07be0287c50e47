/** The ledger of claims: filters and order in the address, and a tail that follows what arrives. */
import { Checkbox, NativeSelect } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClaimRows, useClaimStream } from '../api.js';
import { count } from '../format.js';
import { CLAIM_COLUMNS, claimPage } from '../parts/claims.js';
import { FilterBar, type Filters, useFilters } from '../parts/filters.js';
import { Listing } from '../parts/listing.js';
import { Failure, Page } from '../parts/page.js';
import { Muted } from '../parts/show.js';
import { meaningOf, WARNINGS } from '../words.js';

const FILTERS = {
  search: {
    label: 'Claim or stone',
    kind: 'text',
    meaning: 'Start of a claim’s id or of a stone reference, in any case',
  },
  population: { label: 'Population', kind: 'text' },
  verdict: { label: 'Verdict', values: ['MATCH', 'NO_MATCH'] },
  action: { label: 'Action', values: ['accept', 'review', 'reject'], meaning: meaningOf('action') },
  warning: { label: 'Warning', values: WARNINGS },
  from: { label: 'From', kind: 'time', meaning: 'Submitted at or after, in your time' },
  to: { label: 'To', kind: 'time', meaning: 'Submitted before, in your time' },
  reference: { label: 'Stone', kind: 'text', meaning: 'Stone reference of either side' },
  key: { label: 'Key', kind: 'text', meaning: 'Name or prefix of the key' },
  finding: { label: 'Finding', values: ['probing', 'multi_pass'] },
  label: { label: 'Label', values: ['match', 'no_match', 'none'] },
  reviewed: { label: 'Reviewed', values: ['true', 'false'] },
  status: { label: 'State', values: ['scored', 'unfinished'] },
  reject_target: {
    label: 'Rung',
    values: ['0.99', '0.98', '0.97', '0.96', '0.95', '0.94', '0.93', '0.92', '0.91', '0.90'],
    show: (rung: string) => rung,
  },
  p_min: { label: 'p from', kind: 'share', meaning: meaningOf('p_match_5050') },
  p_max: { label: 'p to', kind: 'share', meaning: meaningOf('p_match_5050') },
} satisfies Filters;

const ORDER = {
  sort: {
    label: 'Order',
    values: ['time', 'p_match_5050', 'distance'],
  },
  live: { label: 'Live', values: ['true'] },
} satisfies Filters;

const ORDERS = [
  { value: 'time', label: 'newest first' },
  { value: 'p_match_5050', label: 'most probable first' },
  { value: 'distance', label: 'nearest to the threshold' },
];

/** Between two looks while many claims arrive. */
const LOOK_MS = 1_000;

export default function Claims() {
  const [chosen, set] = useFilters(FILTERS);
  const [{ sort = 'time', live }, setOrder] = useFilters(ORDER);
  const asked = { ...chosen, sort };
  const rows = useClaimRows(asked, live !== undefined);
  const tail = useTail(live !== undefined);
  return (
    <Page
      title="Claims"
      aside={
        <Checkbox
          label="Live"
          title="New claims come into the list as their verdicts are stored"
          checked={live !== undefined}
          onChange={({ currentTarget }) => setOrder('live', currentTarget.checked ? 'true' : undefined)}
        />
      }
    >
      <FilterBar filters={FILTERS} first={5} chosen={chosen} set={set} />
      {tail.refusal !== undefined && <Failure error={tail.refusal} />}
      <Listing
        answer={rows}
        still={live !== undefined}
        of={['claim', 'claims']}
        columns={CLAIM_COLUMNS}
        keyOf={({ claim_id }) => claim_id}
        to={claimPage}
        order={{ now: sort, set: (to) => setOrder('sort', to === 'time' ? undefined : to) }}
        empty="No claim fits these filters."
        aside={
          <>
            {live && <Muted>{count(tail.arrived)} arrived since this page is live</Muted>}
            <NativeSelect
              size="xs"
              w={190}
              aria-label="order"
              data={ORDERS}
              value={sort}
              onChange={({ currentTarget: { value } }) => setOrder('sort', value === 'time' ? undefined : value)}
            />
          </>
        }
      />
    </Page>
  );
}

/** Asks for the list again as claims arrive: so whatever filters and order are chosen hold for those too. */
function useTail(on: boolean) {
  const queries = useQueryClient();
  const [arrived, setArrived] = useState(0);
  const again = useThrottledCallback(() => void queries.invalidateQueries({ queryKey: ['claims', true] }), LOOK_MS);
  const refusal = useClaimStream(on, () => {
    setArrived((before) => before + 1);
    again();
  });
  return { arrived, refusal };
}
