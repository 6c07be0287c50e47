/** Given, when, then: a decider as its tests speak of it. */
import { type Decider, fold } from '../decider.js';

export function testOf<State, Command, Event, Refusal extends string, Answer>(
  decider: Decider<State, Command, Event, Refusal, Answer>,
) {
  /** The state that events leave, and what a command decides there. */
  const given = (...events: Event[]) => {
    const state = fold(decider.evolve, decider.initial, events);
    return { state, when: (command: Command) => decider.decide(state, command) };
  };
  /** The log that commands leave one after the other; a refused one leaves nothing. */
  const logOf = (commands: Iterable<Command>): Event[] => {
    const log: Event[] = [];
    for (const command of commands) {
      const decision = given(...log).when(command);
      if ('events' in decision) log.push(...decision.events);
    }
    return log;
  };
  return { given, logOf };
}
