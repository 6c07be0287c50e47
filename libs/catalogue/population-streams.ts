/** The events of a log that are a population's: they move with it to another log, the others stay. */
import type { LoggedEvent } from '#domain/logged';
import { isOwnStream, streams } from '#domain/streams';

/** The events that stay where they are, counted. */
export interface Staying {
  /** Names of the other populations. */
  populations: Set<string>;
  workspaces: number;
  lots: number;
  /** Switches of the live model. */
  switches: number;
  /** Events that views were let skip, by an operator. */
  skips: number;
  /** Events of other applications. */
  foreign: number;
}

type Event = Pick<LoggedEvent, 'stream' | 'type' | 'data'>;

export class PopulationStreams {
  readonly staying: Staying = { populations: new Set(), workspaces: 0, lots: 0, switches: 0, skips: 0, foreign: 0 };
  keys = 0;
  claims = 0;
  private readonly keyIds = new Set<string>();
  /** Streams named after its claims: reviews of them, and of findings that begin with them. */
  private readonly reviews = new Set<string>();
  private readonly name: string;

  /** @param findingIds ids of the findings that may begin with a claim of a key */
  constructor(
    private readonly population: string,
    private readonly findingIds: (keyId: string, claimId: string) => readonly string[],
  ) {
    this.name = partsOf(streams.figure(population))[0];
  }

  /** True if the next event of the log, in its order, is the population's. */
  takes(event: Event): boolean {
    const { stream } = event;
    const [head] = stream.split('-', 1);
    const [first, second] = partsOf(stream);
    switch (isOwnStream(stream) ? head : '') {
      case 'key':
        return this.takesKey(event, first);
      case 'claim':
        if (!this.keyIds.has(first)) return false;
        this.takeClaim(event, first, decoded(second));
        return true;
      case 'labels':
      case 'telemetry':
        return this.keyIds.has(first);
      case 'bank':
      case 'calibration':
      case 'scorer':
      case 'figure':
      case 'drift':
      case 'passedover':
        return first === this.name;
      case 'review':
      case 'finding':
        return this.reviews.has(stream);
      default:
        this.stays(event);
        return false;
    }
  }

  private takesKey({ type, data }: Event, id: string): boolean {
    if (type !== 'KeyCreated') return this.keyIds.has(id);
    const { population } = data.key as { population: string };
    if (population !== this.population) {
      this.staying.populations.add(population);
      return false;
    }
    this.keys++;
    this.keyIds.add(id);
    return true;
  }

  private takeClaim({ type }: Event, keyId: string, claimId: string): void {
    if (type !== 'ClaimSubmitted') return;
    this.claims++;
    this.reviews.add(streams.review(claimId));
    for (const id of this.findingIds(keyId, claimId)) this.reviews.add(streams.finding(id));
  }

  private stays({ stream, type }: Event): void {
    const { staying } = this;
    if (!isOwnStream(stream)) staying.foreign++;
    else if (type === 'WorkspaceCreated') staying.workspaces++;
    else if (type === 'LotEnrolled') staying.lots++;
    else if (type === 'ModelSwitched') staying.switches++;
    else if (type === 'ViewSkipped') staying.skips++;
  }
}

/** The parts of a stream's name behind its head, as they stand there: none holds a separator. */
const partsOf = (stream: string): string[] => stream.split('-').slice(1);

const decoded = (part = ''): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
