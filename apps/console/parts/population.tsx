/** Marks of a population: that its stones are simulated, and that claims under test keys do not count. */
import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useSimulated, useTestClaims } from '../api.js';
import { counted } from '../format.js';
import { Mark } from './show.js';

/** Nothing for real ones. */
export const Simulated = ({ population }: { population: string }) =>
  useSimulated(population) ? (
    <Mark tone="ask" title="All its claims came with keys whose names say that the stones are simulated.">
      simulated
    </Mark>
  ) : null;

export function TestClaims({ population }: { population: string }) {
  const { data } = useTestClaims(population);
  const total = data?.total ?? 0;
  if (total === 0) return null;
  const more = data?.total_exact === false ? 'more than ' : '';
  return (
    <Alert
      variant="outline"
      title={`${more}${counted(total, ['claim', 'claims'])} under test keys do not count`}
      role="status"
    >
      <Text size="sm">
        Thresholds and scorers are made of claims under production keys. Make one under{' '}
        <Anchor component={Link} to="/keys" size="sm" underline="always">
          Keys
        </Anchor>
        , for this population, and send claims with it.
      </Text>
    </Alert>
  );
}
