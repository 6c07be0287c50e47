import { sampleOf } from '#catalogue/test/arbitrary';
import type { LoggedEvent } from '#domain/logged';
import type { LotScorerApproved, LotScorerEvent } from '#lots/events-scorer';
import { noLotScorerDecisions, type ValidLotScorerDecisions, verifyLotScorerDecision } from './verify-lot-decisions.js';

type Event = LoggedEvent & LotScorerEvent;
const WORKSPACE = { id: '00ff00ff00ff00ff', name: 'trader' };
const MODEL = 'a'.repeat(64);
const chain = {
  beginning: (owner: string) => `begin ${owner}`,
  after: (root: string, { type, data }: Event) => `${root} ${type} by ${data.operator}`,
};
const approval = sampleOf('LotScorerApproved') as unknown as LotScorerApproved['data'];
const proposalOf = (scorer: string, decisions: number) => ({
  ...approval.proposal,
  ...{ model: MODEL, scorer, digest: `of ${scorer} ${decisions}`, decisions },
});

/** Each event as it carries the hash of those before it. */
function linked(events: readonly { type: LotScorerEvent['type']; data: object }[], first?: Event): Event[] {
  let root = chain.beginning(WORKSPACE.id);
  return events.map(({ type, data }, i) => {
    const all = {
      ...approval,
      requested_by: null,
      workspace: WORKSPACE,
      model: MODEL,
      operator: 'anna',
      ...data,
      chain: root,
    };
    const stream = `lotscorer-${WORKSPACE.id}`;
    const event = { stream, revision: BigInt(i), position: BigInt(i), type, version: 2, data: all } as unknown as Event;
    root = chain.after(root, (i === 0 && first) || event);
    return event;
  });
}

const problems = (events: readonly Event[]) => {
  let before: ValidLotScorerDecisions = noLotScorerDecisions;
  return events.map((event) => {
    const { valid, problem } = verifyLotScorerDecision(before, event, chain);
    before = valid;
    return problem ?? '';
  });
};

const approve = (scorer: string, decisions: number, more: object = {}) =>
  ({ type: 'LotScorerApproved', data: { proposal: proposalOf(scorer, decisions), ...more } }) as const;
const request = (scorer: string, decisions: number, operator: string) =>
  ({ type: 'LotScorerRequested', data: { proposal: proposalOf(scorer, decisions), operator } }) as const;
const withdraw = { type: 'LotScorerWithdrawn', data: {} } as const;

const STORY = [
  request('one', 0, 'anna'),
  approve('one', 0, { operator: 'ben', requested_by: 'anna' }),
  withdraw,
  approve('two', 2),
  approve('three', 3),
];

it('finds nothing in decisions as they are made', () => {
  expect(problems(linked(STORY))).toEqual(['', '', '', '', '']);
});

it('takes decisions of before there was a chain, and none of them after it', () => {
  const [first, ...others] = linked(STORY);
  const old = { ...first, version: 1, data: { ...first.data, chain: null } } as unknown as Event;
  expect(problems([old, ...linked(STORY, old).slice(1)])).toEqual(['', '', '', '', '']);
  const late = others.map((event, i) => (i === 1 ? ({ ...event, version: 1 } as unknown as Event) : event));
  expect(problems([first, ...late])[2]).toContain('does not carry the hash');
});

it.each<[string, string, (events: Event[]) => Event[]]>([
  ['a withdrawal that was taken away', 'does not carry the hash', (events) => events.filter((_, i) => i !== 2)],
  [
    'an operator’s name that was changed',
    'does not carry the hash',
    (events) =>
      events.map((event, i) => (i === 1 ? ({ ...event, data: { ...event.data, operator: 'eve' } } as Event) : event)),
  ],
  [
    'a proposal after other decisions',
    'rests on a proposal after 1 decisions where 0 stand',
    () => linked([approve('one', 1)]),
  ],
  ['a scorer that is in force', 'in force already', () => linked([approve('one', 0), approve('one', 1)])],
  [
    'a first operator who asked for nothing',
    'names a first operator who did not request it',
    () => linked([approve('one', 0, { operator: 'ben', requested_by: 'anna' })]),
  ],
  [
    'one operator twice',
    'names a first operator who did not request it',
    () => linked([request('one', 0, 'ben'), approve('one', 0, { operator: 'ben', requested_by: 'ben' })]),
  ],
])('finds %s', (_name, says, change) => {
  expect(problems(change(linked(STORY))).join('\n')).toContain(says);
});
