/** One finding: the panel behind it, and what an operator says of it. */
import { Alert, Grid, Stack } from '@mantine/core';
import { useParams } from 'react-router';
import { useFinding } from '../api.js';
import { FindingFacts, Matrix } from '../parts/findings.js';
import { Answer, Page, Section } from '../parts/page.js';
import { LookedAtBy, Noted, ReviewForm } from '../parts/review.js';
import { Status } from '../parts/show.js';
import { inWords, meaningOf } from '../words.js';

export default function FindingPage() {
  const { id = '' } = useParams();
  const finding = useFinding(id);
  return (
    <Page
      title={finding.data ? `Finding: ${inWords(finding.data.kind)}` : 'Finding'}
      above={{ to: '/findings', label: 'Findings' }}
      aside={finding.data && <Status code={finding.data.status} />}
    >
      <Answer to={finding}>
        {(of) => (
          <>
            {of.breach !== null && (
              <Alert color="red" variant="outline" title="A rule was broken">
                {of.breach}
              </Alert>
            )}
            <Grid>
              <Grid.Col span={{ base: 12, md: 6 }}>
                <Section title="What was found" meaning={meaningOf(of.kind)}>
                  <FindingFacts of={of} />
                </Section>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 6 }}>
                <Section title="Review" meaning="What comes to the finding afterwards opens it again.">
                  <Stack>
                    <Noted review={of.review} />
                    <LookedAtBy others={of.looked_at_by} />
                    <ReviewForm key={of.id} on="finding" ids={[of.id]} />
                  </Stack>
                </Section>
              </Grid.Col>
              <Grid.Col span={12}>
                <Section title="Polish against roughs" meaning="Its latest 1,000 claims, oldest first.">
                  <Matrix of={of} />
                </Section>
              </Grid.Col>
            </Grid>
          </>
        )}
      </Answer>
    </Page>
  );
}
