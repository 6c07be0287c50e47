/** Findings: one polish with several roughs, for a person to look at. They never change an answer. */
import { useFindings } from '../api.js';
import { FilterBar, type Filters, useFilters } from '../parts/filters.js';
import { FINDING_COLUMNS, findingPage } from '../parts/findings.js';
import { Listing } from '../parts/listing.js';
import { Page } from '../parts/page.js';

const FILTERS = {
  status: { label: 'State', values: ['open', 'reviewed'] },
  kind: { label: 'Kind', values: ['probing', 'multi_pass'] },
  key_kind: { label: 'Keys', values: ['production', 'test'], meaning: 'Test keys are counted apart' },
  breach: {
    label: 'Rule broken',
    values: ['true', 'false'],
    meaning: 'A production key tried one polish against three or more roughs',
  },
  reference: { label: 'Polish', kind: 'text', meaning: 'Stone reference of the polish' },
  population: { label: 'Population', kind: 'text' },
  key: { label: 'Key', kind: 'text', meaning: 'Name or prefix of a key behind it' },
  from: { label: 'From', kind: 'time', meaning: 'Opened at or after, in your time' },
  to: { label: 'To', kind: 'time', meaning: 'Opened before, in your time' },
} satisfies Filters;

export default function Findings() {
  const [chosen, set] = useFilters(FILTERS);
  const findings = useFindings(chosen);
  return (
    <Page title="Findings">
      <FilterBar filters={FILTERS} first={6} chosen={chosen} set={set} />
      <Listing
        answer={findings}
        of={['finding', 'findings']}
        columns={FINDING_COLUMNS}
        keyOf={({ id }) => id}
        to={findingPage}
        empty="No finding fits these filters."
      />
    </Page>
  );
}
