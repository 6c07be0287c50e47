/** An aggregate's needs of the outside: hashing is passed in, because the domain does no I/O and knows no runtime. */
export type Sha256Hex = (text: string) => string;

/**
 * Events that follow from a command (none: there is nothing to do), or why it is refused. `answer`: what the caller
 * gets besides them.
 */
export type Decision<Event, Refused extends string, Answer = undefined> =
  | { events: Event[]; answer?: Answer }
  | { refusal: Refused };

/** An aggregate: pure functions of its stream. */
export interface Decider<State, Command, Event, Refusal extends string = never, Answer = undefined> {
  readonly initial: State;
  evolve(state: State, event: Event): State;
  decide(state: State, command: Command): Decision<Event, Refusal, Answer>;
}

/** An event as the domain speaks of it; the store adds identity and place. */
export interface DomainEvent<Type extends string = string, Version extends number = number, Data = object> {
  type: Type;
  version: Version;
  data: Data;
}

/** Folds stored events of one stream; types that `evolve` does not know never stand in that stream. */
export function fold<State, Event>(
  evolve: (state: State, event: Event) => State,
  initial: State,
  events: Iterable<Event>,
) {
  let state = initial;
  for (const event of events) state = evolve(state, event);
  return state;
}

/** Closes an exhaustive switch: the compiler refuses a case left out, a damaged log is refused at run time. */
export function never(event: never): never {
  throw new TypeError(`unknown event or command ${(event as { type: string }).type}`);
}
