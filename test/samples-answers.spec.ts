/** Examples of the contract beside what a service answers when all samples are run. */
import { EXAMPLES, type Example } from '../apps/server/contract/examples.js';
import { tellStory } from '../tools/story.js';

/** Names of an answer, those of its members too. */
const membersOf = (answer: unknown): string[] =>
  typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? Object.keys(answer).sort() : [];

it('are as a service answers today (else: npm run examples)', async () => {
  const told: Record<string, Example> = await tellStory();
  const shape = (examples: Record<string, Example>) =>
    Object.entries(examples).map(([name, { status, answer }]) => [name, status, membersOf(answer)]);
  expect(shape(told)).toEqual(shape(EXAMPLES));
});
