/** Checks of how the service is used: what was found, what it means, and what to do. */
import { Stack, Text } from '@mantine/core';
import type { HygieneCheck } from '#client';
import { useHygiene } from '../api.js';
import { count } from '../format.js';
import { Answer, Page, Section } from '../parts/page.js';
import { Mark, Muted, Status, Time } from '../parts/show.js';
import { inWords } from '../words.js';

export default function Hygiene() {
  const hygiene = useHygiene();
  return (
    <Page
      title="Hygiene"
      aside={
        hygiene.data && (
          <Muted>
            checked <Time at={hygiene.data.at} />
          </Muted>
        )
      }
    >
      <Answer to={hygiene}>
        {({ checks }) => {
          const [bad, fine] = [checks.filter(({ found }) => found > 0), checks.filter(({ found }) => found === 0)];
          return (
            <>
              {bad
                .toSorted((a, b) => b.found - a.found)
                .map((check) => (
                  <Check key={check.check} of={check} />
                ))}
              {fine.length > 0 && <Fine of={fine} />}
            </>
          );
        }}
      </Answer>
    </Page>
  );
}

/** In one line; what each looks at is there where it is asked for. */
const Fine = ({ of }: { of: HygieneCheck[] }) => (
  <details>
    <summary>
      <Status code="ok" />{' '}
      <Text component="span" size="sm">
        {count(of.length)} {of.length === 1 ? 'check' : 'checks'} found nothing
      </Text>
    </summary>
    <Stack gap={4} mt="xs">
      {of.map(({ check, meaning }) => (
        <Text key={check} size="sm" className="long">
          {inWords(check)} <Muted>{meaning}</Muted>
        </Text>
      ))}
    </Stack>
  </details>
);

const Check = ({ of: { check, meaning, advice, found, items } }: { of: HygieneCheck }) => (
  <Section title={inWords(check)} aside={<Mark tone="doubt">{count(found)} found</Mark>}>
    <Stack gap={4}>
      <Text size="sm" className="long">
        {meaning}
      </Text>
      <Text size="sm" className="long">
        <b>What to do:</b> {advice}
      </Text>
      <details>
        <summary>
          <Text component="span" size="sm">
            {items.length < found ? `the first ${count(items.length)}` : 'all of them'}
          </Text>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <section className="event" tabIndex={0} aria-label={`found by ${inWords(check)}`}>
          <pre>{JSON.stringify(items, null, 2)}</pre>
        </section>
      </details>
    </Stack>
  </Section>
);
