import type { CalibrationEvent, ScorerApproved } from '#calibration/events';
import type { CarriedMeasured } from '#calibration/events-figure';
import type { DecisionPassedOver } from '#calibration/events-rejected';
import type { ScorerPart } from '#calibration/events-scorer';
import { ScorerAssembly } from '#calibration/scorer-assembly';
import type { Chain } from '#domain/approval';
import type { LoggedEvent } from '#domain/logged';
import { isOwnStream, streamPrefixes, streams } from '#domain/streams';
import { isNoEvent } from '#kit/log/port';
import { type StreamState, StreamStates } from '#kit/log/stream-states';
import type { LotScorerEvent } from '#lots/events-scorer';
import { recordedFault, strayFault } from './admission.js';
import { CountedClaims } from './counted-claims.js';
import { upcast } from './upcast.js';
import { lacksClaims, noDecisions, restsOn, type ValidDecisions, verifyDecision } from './verify-decisions.js';
import { noLotScorerDecisions, type ValidLotScorerDecisions, verifyLotScorerDecision } from './verify-lot-decisions.js';

/** Fewest numbers of a spectrum, and more than any event needs in one place: the smallest scan accepted has 50 points. */
const SPECTRUM_POINTS = 50;
/** A vector of 256 float32 in base64; a spectrum on the reference axis needs 3580. */
const VECTOR_CHARACTERS = 1368;

/** What is noted of a stream: whether a claim in it was submitted, and scored; or that an event of it cannot be read. */
const [NOTHING, SUBMITTED, UNREADABLE, SCORED] = [0, 1, 2, 3];

/**
 * Rules that hold for a log as a whole, as far as it is the service's own. Events are given in the log's order.
 */
export class LogInvariants<E extends LoggedEvent> {
  readonly #streams = new StreamStates();
  /** By calibration stream; null where an event of it was lost, from where on nothing is decided from it. */
  readonly #calibrations = new Map<string, ValidDecisions | null>();
  /** By stream of decisions about a lot scorer; null where an event of it was lost. */
  readonly #lotScorers = new Map<string, ValidLotScorerDecisions | null>();
  /** Names of calibration streams with revisions that do not hold. */
  readonly #unsound = new Set<string>();
  readonly #claims: CountedClaims;
  readonly #scorers: ScorerAssembly;

  /**
   * @param decisions all events of the log's calibration and figure streams: the claims that they rest on are counted
   * @param sha256 64 hex digits
   */
  constructor(
    private readonly chains: { calibration: Chain<E>; lotScorer: Chain<E> },
    decisions: Iterable<LoggedEvent>,
    sha256: (bytes: Uint8Array) => string,
    /** Events from the middle of the log on: rules about what stood before them are left out. */
    private readonly fromMiddle = false,
  ) {
    this.#scorers = new ScorerAssembly(sha256);
    this.#claims = new CountedClaims([...decisions].flatMap((event) => needOf(event) ?? []));
  }

  get streams(): number {
    return this.#streams.size;
  }

  /** The faults of the next event, in sentences; mostly none. */
  check(event: E): string[] {
    const { stream, revision } = event;
    if (this.fromMiddle && revision > 0n && !this.#streams.get(stream)) this.unreadable(stream, revision - 1n);
    const state = this.#streams.get(stream) ?? { revision: -1, note: NOTHING };
    const next = state.revision + 1;
    state.revision = Number(revision);
    // Other writers of the log keep to rules of their own.
    const own = isOwnStream(stream);
    const found = own ? this.#faultsOf(event, state) : [];
    this.#streams.set(stream, state);
    return !own || state.revision === next ? found : [`has revision ${revision} where ${next} comes next`, ...found];
  }

  #faultsOf(event: E, state: StreamState): string[] {
    const found: string[] = [];
    const { stream, data } = event;
    if (isNoEvent(event)) {
      state.note = UNREADABLE;
      return found;
    }

    this.#claims.take(event);
    const wrong = stream.startsWith(streamPrefixes.calibration)
      ? this.#checkCalibration(event)
      : (recordedFault(event) ?? strayFault(stream, event));
    const unborne =
      this.#checkLotScorer(event, wrong) ??
      wrong ??
      (this.fromMiddle
        ? undefined
        : (this.#checkScorer(event) ?? this.#checkFigure(event) ?? this.#checkRejected(event)));
    if (unborne) found.push(unborne);
    found.push(...this.#checkClaim(event, state));

    const spectrum = spectrumIn(data, 'data') ?? spectrumIn(event.metadata, 'metadata');
    if (spectrum) found.push(spectrum);
    return found;
  }

  /** A row that an operator has disowned: its stream goes on after it. */
  noEvent(stream: string, revision: bigint): void {
    const last = this.#streams.get(stream)?.revision ?? -1;
    this.#streams.set(stream, { revision: Math.max(last, Number(revision)), note: UNREADABLE });
  }

  /** A damaged row: its stream goes on after it, and nothing can be said of what follows from what stood there. */
  unreadable(stream: string, revision: bigint): void {
    this.noEvent(stream, revision);
    if (stream.startsWith(streamPrefixes.calibration)) this.#calibrations.set(stream, null);
    if (stream.startsWith(streamPrefixes.lotScorer)) this.#lotScorers.set(stream, null);
  }

  #checkCalibration(event: E): string | undefined {
    const { stream } = event;
    const before = this.#calibrations.get(stream) ?? (this.#calibrations.has(stream) ? null : noDecisions);
    if (before === null || this.fromMiddle || event.type === 'EventLost') {
      this.#calibrations.set(stream, null);
      return recordedFault(event);
    }
    const { valid, problem } = verifyDecision(before, event, this.chains.calibration, this.#claims);
    this.#calibrations.set(stream, valid);
    if (problem === undefined) return undefined;
    this.#unsound.add(`${stream} ${event.revision}`);
    return `${problem}; no audit bundle is made of it`;
  }

  #checkRejected(event: LoggedEvent): string | undefined {
    if (event.type !== 'DecisionPassedOver') return undefined;
    const { population, revision } = (event as LoggedEvent & DecisionPassedOver).data;
    const stream = streams.calibration(population);
    // Nothing is known of a stream with a lost event.
    if (this.#calibrations.get(stream) === null || this.#unsound.has(`${stream} ${revision}`)) return undefined;
    return `passes over event ${revision} of ${stream}, which holds`;
  }

  #checkScorer(event: LoggedEvent): string | undefined {
    const { type, stream } = event;
    if (type === 'ScorerPart') return this.#scorers.take(stream, (event as LoggedEvent & ScorerPart).data);
    if (type !== 'ScorerRequested' && type !== 'ScorerApproved') return undefined;
    const { population, proposal } = (event as LoggedEvent & ScorerApproved).data;
    if (this.#scorers.has(population, proposal.scorer)) return undefined;
    return 'names a scorer whose parts do not stand whole before it; claims are refused while it is in force';
  }

  /** @param wrong with the event in itself */
  #checkLotScorer(event: E, wrong: string | undefined): string | undefined {
    const { stream } = event;
    if (!stream.startsWith(streamPrefixes.lotScorer)) return undefined;
    const before = this.#lotScorers.has(stream) ? this.#lotScorers.get(stream) : noLotScorerDecisions;
    // Nothing can be said of what follows an event that is lost or none.
    if (!before || wrong !== undefined || event.type === 'EventLost') {
      this.#lotScorers.set(stream, null);
      return undefined;
    }
    const known = { ...event, ...upcast(event) } as E & LotScorerEvent;
    const { valid, problem } = verifyLotScorerDecision<E & LotScorerEvent>(before, known, this.chains.lotScorer);
    this.#lotScorers.set(stream, valid);
    return problem && `${problem}; no audit bundle is made of it`;
  }

  #checkFigure(event: LoggedEvent): string | undefined {
    if (event.type !== 'CarriedMeasured') return undefined;
    return lacksClaims((event as LoggedEvent & CarriedMeasured).data, event.position, this.#claims);
  }

  #checkClaim({ type, stream, data }: LoggedEvent, state: StreamState): string[] {
    const before = state.note;
    if (before === UNREADABLE) return []; // what is missing may be in the event that cannot be read
    switch (type) {
      case 'ClaimSubmitted':
        state.note = SUBMITTED;
        return before === NOTHING ? [] : ['submits a claim that was submitted before'];
      case 'ClaimScored':
        state.note = SCORED;
        if (before === SCORED) return ['scores a claim that was scored before'];
        return before === SUBMITTED ? [] : ['scores a claim that was never submitted'];
      case 'ClaimRepeated':
        return before === SCORED ? [] : ['repeats a claim that was never scored'];
      case 'ClaimShadowScored':
        return before === SCORED ? [] : ['holds a score by a shadow of a claim that was never scored'];
      case 'LotRenamed':
      case 'LotSessionCorrected':
      case 'LotRetired':
      case 'LotChecked':
      case 'LotRehearsed': {
        const { workspace, lot_id } = data as { workspace?: { id?: string }; lot_id?: string };
        const known = this.#streams.get(streams.lot(String(workspace?.id), String(lot_id))) !== undefined;
        return known || this.fromMiddle ? [] : ['is of a lot that was never enrolled'];
      }
      case 'ClaimLabelled':
      case 'LabelAmended': {
        const claim = this.#streams.get(
          streams.claim(stream.slice(streamPrefixes.labels.length), String(data.claim_id)),
        );
        if (!claim && this.fromMiddle) return [];
        return claim?.note === SCORED || claim?.note === UNREADABLE ? [] : ['labels a claim that was never scored'];
      }
      default:
        return [];
    }
  }
}

/** The claims that a calibration event or a figure rests on, if it is one. */
function needOf(event: LoggedEvent) {
  if (recordedFault(event) !== undefined) return undefined;
  if (event.type === 'CarriedMeasured') return (event as LoggedEvent & CarriedMeasured).data;
  if (!event.stream.startsWith(streamPrefixes.calibration)) return undefined;
  return restsOn(event as LoggedEvent & CalibrationEvent);
}

/**
 * The place in a value of anything like a spectrum, as a sentence. A list of numbers that only rises or only falls is an
 * axis, a calibration curve or sorted scores, and no spectrum.
 */
export function spectrumIn(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return spectrumInText(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.values(value);
  if (members.length >= SPECTRUM_POINTS) {
    const points = members.filter(isPoint);
    if (points.length >= SPECTRUM_POINTS && !isMonotone(points)) {
      return `holds ${points.length} numbers at ${path}, like a spectrum`;
    }
  }
  for (const [name, one] of Object.entries(value)) {
    const found = spectrumIn(one, `${path}.${name}`);
    if (found) return found;
  }
  return undefined;
}

function spectrumInText(text: string, path: string): string | undefined {
  if (text.length < 2 * SPECTRUM_POINTS) return undefined;
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    if (text.length <= VECTOR_CHARACTERS) return undefined;
    return `holds ${text.length} characters of base64 at ${path}, more than a vector`;
  }
  let numbers = 0;
  for (const _ of text.matchAll(/[-+]?[0-9]+(?:[.,][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)/g)) numbers++;
  return numbers < SPECTRUM_POINTS ? undefined : `holds ${numbers} numbers in a text at ${path}, like a spectrum`;
}

/** A number, also as text, or a pair of them. */
function isPoint(value: unknown): boolean {
  if (typeof value === 'number') return true;
  if (typeof value === 'string') return value !== '' && value.length < 32 && Number.isFinite(Number(value));
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  return members.length > 0 && members.length <= 3 && members.every((one) => typeof one === 'number');
}

function isMonotone(values: unknown[]): boolean {
  const numbers = values.map(Number);
  const steps = numbers.slice(1).map((value, i) => value - numbers[i]);
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0);
}
