import { type EventIn, event } from '#domain/catalogue-entry';
import { count, described, one } from '#domain/schemas';
import { anId, FINDINGS, findingReviewed } from '#domain/shapes';
import { streams } from '#domain/streams';

/** Events of findings. */
export const findingEvents = {
  FindingReviewed: event(
    3,
    { name: 'finding-{finding id}', is: (stream, { finding_id }) => stream === streams.finding(finding_id) },
    'an operator looked at a finding; what comes to it afterwards opens it again',
    {
      finding_id: described(anId, 'the finding'),
      kind: described(one(...FINDINGS), '`probing` or `multi_pass`'),
      claims: described(count, 'claims behind it as the operator saw it'),
      ...findingReviewed,
    },
  ),
};

/** An operator has looked at a finding. Claims that come to it afterwards open it again. */
export type FindingReviewed = EventIn<typeof findingEvents, 'FindingReviewed'>;
export type Finding = FindingReviewed['data']['kind'];
export type FindingOutcome = NonNullable<FindingReviewed['data']['outcome']>;
