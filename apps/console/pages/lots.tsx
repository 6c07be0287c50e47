/** Lots of a workspace: small stones that were enrolled together, to be known again when they come back. */
import type { LotSummary } from '#client';
import { useLots, useSession } from '../api.js';
import { count } from '../format.js';
import { LotScorerSection } from '../parts/lot-scorer.js';
import { Enrol, useMayWork } from '../parts/lot-work.js';
import { Answer, Empty, Page } from '../parts/page.js';
import { Status, Time, Word } from '../parts/show.js';
import { type Column, Table } from '../parts/table.js';
import { WithWorkspace } from '../parts/workspace.js';
import type { OpenWorkspace } from '../session.js';

const COLUMNS: Column<LotSummary>[] = [
  { head: 'Lot', cell: ({ name }) => <span title={name}>{name}</span>, by: ({ name }) => name },
  { head: 'State', cell: ({ status }) => <Status code={status} />, by: ({ status }) => status },
  { head: 'Stones', end: true, cell: ({ stones }) => count(stones), by: ({ stones }) => stones },
  { head: 'Checks', end: true, cell: ({ checks }) => count(checks), by: ({ checks }) => checks },
  { head: 'Session', wide: true, cell: ({ session_type }) => <Word code={session_type} /> },
  {
    head: 'Usual',
    meaning: 'Whether the lot is like those that the bars were set on.',
    wide: true,
    cell: ({ usual }) => (usual === null ? 'not known' : usual ? 'yes' : 'no'),
  },
  {
    head: 'Enrolled',
    wide: true,
    cell: ({ enrolled_at }) => <Time at={enrolled_at} />,
    by: ({ enrolled_at }) => enrolled_at,
  },
];

export default function Lots() {
  const { trader } = useSession();
  const works = useMayWork();
  return (
    <Page title="Lots">
      <WithWorkspace>
        {(open) => (
          <>
            <Listed of={open} />
            {works && <Enrol open={open} />}
            {!trader && <LotScorerSection prefix={open.prefix} />}
          </>
        )}
      </WithWorkspace>
    </Page>
  );
}

function Listed({ of }: { of: OpenWorkspace }) {
  const lots = useLots(of);
  return (
    <Answer to={lots}>
      {(found) =>
        found.length === 0 ? (
          <Empty>The workspace has no lot yet.</Empty>
        ) : (
          <Table
            label="lots"
            columns={COLUMNS}
            rows={found}
            keyOf={({ lot_id }) => lot_id}
            to={({ lot_id }) => `/lots/${lot_id}`}
          />
        )
      }
    </Answer>
  );
}
