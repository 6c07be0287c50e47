/** Lots in the contract. Their forms are read by hand (lot-form.ts): these classes say what is read. */

import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import {
  MAX_SOURCES,
  MAX_SUBSTITUTION,
  OUTCOMES,
  SESSION_TYPES,
  type SessionType as SessionKind,
  SUBSTITUTES,
} from '#lots';
import { SCAN_FILES } from '#spectra';
import {
  AnyOf,
  Dictionary,
  Files,
  Flag,
  Integer,
  Nested,
  Numbers,
  Numeric,
  nullable,
  Objects,
  OneOf,
  OnlyTrue,
  optional,
  Text,
  Texts,
  Time,
} from '../http/dto.js';
import { ApiSchema } from '../http/swagger.js';

const LOT_ID = '^lot_[0-9a-f]{32}$';
const SHARE = { minimum: 0, maximum: 1 };

const LotId = () => Text('id of the lot', { pattern: LOT_ID });
const ModelDigest = () => Text('digest of the lot model', { pattern: '^[0-9a-f]{64}$' });
const BoundsVersion = () => Text('version of GET /api/lotscan/bounds that the answer rests on');
const SessionType = (more?: { required: false }) => OneOf(SESSION_TYPES, 'how the stones lay', more);
const SessionSource = () => OneOf(['declared', 'estimated'], 'estimated from the scans where the caller does not say');
const Interval = () => Numbers('95% interval of the share', { minItems: 2, maxItems: 2, ...SHARE });
const Warnings = () => Texts('notes that are no faults: log them');
const Source = (description?: string, more?: { required: false; default: string }) =>
  AnyOf(
    [
      { const: 'cohort' },
      {
        type: 'array',
        items: { type: 'string', pattern: LOT_ID },
        ...(more && { minItems: 1, maxItems: MAX_SOURCES, uniqueItems: true }),
      },
    ],
    description,
    more,
  );
const Scope = () => Text('the limits of the answer: keep them with the result');
const ScanFiles = () => Files(`${SCAN_FILES}, named <stone>_<number>`);

export class MeasuredBounds {
  @OnlyTrue('simulated lots, no real stones') simulated!: true;
  @Text('description of the measurement') note!: string;
  @ModelDigest() model!: string;
  @Integer('seed of the parcels') seed!: number;
  @Integer('scans of every stone and visit') scans!: number;
  @Objects('what was counted') cells!: object[];
  @Objects('what was counted') rehearsal!: object[];
}

@ApiSchema({ name: 'LotBounds' })
export class Bounds {
  @Text('a change of any bound or exclusion is a new one') version!: string;
  @Text('date of the stamp') stamped!: string;
  @Dictionary(undefined, 'the product’s bounds and exclusions; none of them was measured by this implementation')
  specified!: object;
  @Nested(
    () => MeasuredBounds,
    'what this implementation measured; null where nothing was measured with its model',
    nullable,
  )
  measured!: MeasuredBounds | null;
  @ModelDigest() model!: string;
  @Scope() scope!: string;
}

export class ReturnForm {
  @ScanFiles() files!: string[];
  @SessionType(optional) session_type?: string;
  @Text('person who scanned; appears in the report', { maxLength: 64, ...optional }) operator?: string;
  @Text('instrument; appears in the report', { maxLength: 64, ...optional }) instrument?: string;
}

@ApiSchema({ name: 'LotForm' })
export class EnrolmentForm extends ReturnForm {
  @Text('unique in the workspace', { minLength: 1, maxLength: 64 }) name!: string;
}

export class LotStone {
  @Text('the member') stone!: string;
  @Integer('scans used') scans!: number;
}

export class StonePair {
  @Text('a member') a!: string;
  @Text('another') b!: string;
}

export class LookAlikes {
  @Numeric('share of the stones that have a look-alike in the lot', SHARE) share!: number;
  @Numeric('largest usual value', SHARE) usual_to!: number;
}

export class LotDistance {
  @Numeric('distance of the members’ mean from the middle of the parcels that the bars were set on') value!: number;
  @Numeric('largest usual value') usual_to!: number;
}

export class LotFit {
  @Flag('whether the published figures may be expected to hold; where not, do not rely on the answer') usual!: boolean;
  @Nested(() => LookAlikes) look_alikes!: LookAlikes;
  @Nested(() => LotDistance) distance!: LotDistance;
  @Text('one sentence: show it wherever you show the answer') says!: string;
}
const Fit = () =>
  Nested(
    () => LotFit,
    'whether the lot is like those that the bars were set on; null where that is not known',
    nullable,
  );

const STATUSES = ['active', 'retired'];

export class LotChange {
  @OneOf(['renamed', 'session_type_corrected', 'retired'], 'what was changed') what!: string;
  @Text('the new name or session type', nullable) to!: string | null;
  @Time('when') at!: string;
}

export class Lot {
  @LotId() lot_id!: string;
  @Text('as the workspace calls it') name!: string;
  @Nested(() => [LotStone]) stones!: LotStone[];
  @SessionType() session_type!: string;
  @SessionSource() session_type_source!: string;
  @Nested(() => [StonePair], 'members too alike to be distinguished: a swap between them is invisible')
  twins!: StonePair[];
  @Fit() fit!: LotFit | null;
  @Warnings() warnings!: string[];
  @ModelDigest() model!: string;
  @BoundsVersion() bounds_version!: string;
  @Text('advice, where another lot model serves than the lot was enrolled with', nullable) to_do!: string | null;
  @OneOf(STATUSES, 'a retired lot is read, and no longer checked') status!: string;
  @Time('when it was retired', nullable) retired_at!: string | null;
  @Nested(() => [LotChange], 'since it was enrolled, oldest first') changes!: LotChange[];
  @Time('when') enrolled_at!: string;
}

/** The members of a lot that may be changed. */
export class LotWish {
  @IsOptional()
  @IsString()
  @Text('another name, unique in the workspace', { minLength: 1, maxLength: 64, ...optional })
  name?: string;

  @IsOptional()
  @IsIn(SESSION_TYPES)
  @SessionType(optional)
  session_type?: SessionKind;
}

export class LotCounts {
  @Integer('stones') returned!: number;
  @Integer('of these') confirmed!: number;
  @Integer('of these') not_confirmed!: number;
  @Integer('members that no returned stone is confirmed as') members_unaccounted!: number;
}

const Usual = () =>
  Flag('whether the lot is like those that the bars were set on; null where that is not known', nullable);

export class LotCheckSummary {
  @Text('the check') check_id!: string;
  @SessionType() session_type!: string;
  @Text('the check in one line; null in checks from before there was one', nullable) verdict!: string | null;
  @Usual() usual!: boolean | null;
  @Nested(() => LotCounts) counts!: LotCounts;
  @Texts('returned stones') not_confirmed!: string[];
  @Time('when') checked_at!: string;
}

export class LotWithChecks extends Lot {
  @Integer('all of them') check_count!: number;
  @Nested(() => [LotCheckSummary], 'the latest, newest first', { maxItems: 100 }) checks!: LotCheckSummary[];
}

export class LotSummary {
  @LotId() lot_id!: string;
  @Text('as the workspace calls it') name!: string;
  @Integer('members') stones!: number;
  @SessionType() session_type!: string;
  @Usual() usual!: boolean | null;
  @OneOf(STATUSES, 'a retired lot is read, and no longer checked') status!: string;
  @Time('when it was retired', nullable) retired_at!: string | null;
  @Time('when') enrolled_at!: string;
  @Integer('number of checks of the lot') checks!: number;
}

export class ReturnedStone {
  @Text('returned stone, as its files are named') stone!: string;
  @Integer('scans used') scans!: number;
  @OneOf(OUTCOMES, '`scan_again`: not confirmed, and a scan may change that') outcome!: string;
  @Text('why it should be scanned again', nullable) why!: string | null;
  @Flag('whether it is confirmed as a member; not confirmed is neither foreign nor absent') confirmed!: boolean;
  @Text('member that it is confirmed as', nullable) member!: string | null;
  @Numeric('score with that member, else with the nearest') score!: number;
  @Numeric('what the score has to exceed') bar!: number;
  @Numeric('score less bar; above 0 and not confirmed: another stone resembles that member more') margin!: number;
  @Numeric(
    'probability that it is that member, where a fifth of a simulated lot is exchanged; null where nobody can say so honestly',
    { ...SHARE, ...nullable },
  )
  probability!: number | null;
}

export class LotMember {
  @Text('the member') stone!: string;
  @Flag('whether a returned stone is confirmed as it') accounted!: boolean;
  @Text('which', nullable) by!: string | null;
}

export class MeasuredShare {
  @Numeric('the share', SHARE) share!: number;
  @Interval() interval!: number[];
}

export class OpenPlaces extends MeasuredShare {
  @Integer('members that nothing accounts for') places!: number;
}

export class FalseAccept {
  @Numeric('one-stone rate that the bar is labelled with', SHARE) label!: number;
  @Nested(() => MeasuredShare, 'rate on simulated lots like this one; null where none was measured', nullable)
  measured!: MeasuredShare | null;
  @Nested(
    () => MeasuredShare,
    'rate of this very lot, by its look-alikes; null in checks from before it was known',
    nullable,
  )
  own!: MeasuredShare | null;
  @Nested(() => OpenPlaces, 'the same at the places that nothing accounts for; null where there are none', nullable)
  open_places!: OpenPlaces | null;
}

export class OwnBar {
  @Numeric('bar from the lot’s own scores: a tenth of its look-alikes lie above it') bar!: number;
  @Texts('returned stones that it would confirm: far fewer than the bar that decides') confirmed!: string[];
}

export class LotCheck {
  @Text('the same return of the same lot has the same id', { pattern: '^chk_[0-9a-f]{32}$' }) check_id!: string;
  @LotId() lot_id!: string;
  @SessionType() session_type!: string;
  @SessionSource() session_type_source!: string;
  @Text('the whole check in one line; null in checks from before there was one', nullable) verdict!: string | null;
  @Nested(() => [ReturnedStone]) stones!: ReturnedStone[];
  @Nested(() => [LotMember]) members!: LotMember[];
  @Nested(() => LotCounts) counts!: LotCounts;
  @Fit() fit!: LotFit | null;
  @Nested(() => FalseAccept) false_accept!: FalseAccept;
  @Nested(
    () => OwnBar,
    'a second answer, which decides nothing; left out of checks from before there was one',
    optional,
  )
  own_bar?: OwnBar;
  @Warnings() warnings!: string[];
  @Scope() scope!: string;
  @BoundsVersion() bounds_version!: string;
  @ModelDigest() model!: string;
  @Text('advice, where another lot model serves now', nullable) to_do!: string | null;
  @Text('who scanned', optional) operator?: string;
  @Text('with what', optional) instrument?: string;
  @Time('when it was first checked') checked_at!: string;
}

const MAX_DRAWS = 2000;
const MAX_SEED = 2 ** 32 - 1;

export class RehearsalWish {
  @IsOptional()
  @Max(MAX_SUBSTITUTION)
  @Min(0)
  @IsNumber()
  @Numeric('share of the places to vacate', { minimum: 0, maximum: MAX_SUBSTITUTION, default: 0.2, ...optional })
  substitution = 0.2;

  @IsOptional()
  @Max(MAX_SEED)
  @Min(0)
  @IsInt()
  @Integer('seed of the draws', { minimum: 0, maximum: MAX_SEED, default: 1, ...optional })
  seed = 1;

  @IsOptional()
  @Max(MAX_DRAWS)
  @Min(1)
  @IsInt()
  @Integer('how many', { minimum: 1, maximum: MAX_DRAWS, default: 200, ...optional })
  draws = 200;

  @ValidateIf(({ source }) => source !== 'cohort')
  @Matches(new RegExp(LOT_ID), { each: true, message: 'source must be cohort or a list of lot ids' })
  @ArrayUnique()
  @ArrayMaxSize(MAX_SOURCES)
  @ArrayMinSize(1)
  @IsArray({ message: 'source must be cohort or a list of lot ids' })
  @Source('whose stones are offered: the model’s cohort, or lots of the same workspace', {
    default: 'cohort',
    ...optional,
  })
  source: 'cohort' | string[] = 'cohort';
}

export class Caught {
  @Integer('not confirmed') count!: number;
  @Numeric('share of the substitutes offered', SHARE) share!: number;
  @Interval() interval!: number[];
}

export class Tried {
  @OneOf(SUBSTITUTES, 'whose stones were offered') substitutes!: string;
  @Nested(() => Caught) caught!: Caught;
  @Numeric('share of single substitutes that some member would confirm', SHARE) one_stone_false_accept!: number;
}

export class FalseMatch {
  @Text('member') stone!: string;
  @Integer('draws') times!: number;
}

export class Rehearsal {
  @Text('the same request for the same lot has the same id', { pattern: '^reh_[0-9a-f]{32}$' }) rehearsal_id!: string;
  @LotId() lot_id!: string;
  @Numeric('share', SHARE) substitution!: number;
  @Integer('how many') draws!: number;
  @Integer('seed of the draws') seed!: number;
  @Source() source!: 'cohort' | string[];
  @Integer('places vacated per draw') vacated!: number;
  @Integer('substitutes in all draws') offered!: number;
  @Nested(
    () => Caught,
    'the lowest of what was tried; null where no place was vacated, or the lot is not like those that the bars were set on',
    nullable,
  )
  caught!: Caught | null;
  @Numeric('share of single substitutes that some member would confirm, the highest of what was tried', SHARE)
  one_stone_false_accept!: number;
  @Nested(() => [Tried]) tried!: Tried[];
  @Fit() fit!: LotFit | null;
  @Nested(() => [FalseMatch], 'members that substitutes were confirmed as most often') falsely_matched!: FalseMatch[];
  @Nested(() => [StonePair]) invisible_swaps!: StonePair[];
  @Numeric(
    'share caught of the cohort less that of the lots named, or as measured where none are; null where not known',
    nullable,
  )
  cohort_flatters_by!: number | null;
  @Texts('how to read it') notes!: string[];
  @Scope() scope!: string;
  @BoundsVersion() bounds_version!: string;
  @Time('when it was first rehearsed') rehearsed_at!: string;
}
