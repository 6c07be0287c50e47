/** The claims that a lot check supports, with every exclusion: the one source of these numbers. */
import { SESSION_TYPES } from './model.js';

/** A change of any bound or exclusion is a new version. */
export const BOUNDS_VERSION = '2026-09-10';

export const LOT_STONES = { min: 10, max: 60 } as const;
export const MIN_SCANS = 3;
/** Stones of one return: there may be more than members. */
export const RETURNED_STONES = { min: 1, max: 120 } as const;
/** Of a parcel of a trader's history: the fewest make a lot of 10 with strangers to a fifth of it. */
export const OWN_PARCEL_STONES = { min: 12, max: 200 } as const;
/** One stone against all members, every place being open. */
export const FALSE_ACCEPT_LABEL = 0.1;
export const GENUINE_PROMISE = 0.962;

/** The bounds that the product was specified with. None of them was measured by this implementation. */
export const specifiedBounds = {
  stamped: BOUNDS_VERSION,
  scoring: {
    mode: 'lot',
    bar: 'twin-aware',
    false_accept_rate: FALSE_ACCEPT_LABEL,
    enrolment_scans: MIN_SCANS,
    verification_scans: MIN_SCANS,
    threshold_parameter: false,
  },
  session_types: SESSION_TYPES,
  lot_size: { minimum: LOT_STONES.min, maximum: LOT_STONES.max },
  substitution: { minimum: 0, maximum: 0.4 },
  scans_per_stone: { minimum: MIN_SCANS },
  genuine_confirmed: {
    at_least: GENUINE_PROMISE,
    at_substitution: 0.2,
    over: 'every measured population and lot size',
    stamped_lot_of_10: { shaken: 0.993, table_up: 1 },
  },
  unrelated_caught_per_stone: {
    shaken: { from: 0.912, to: 0.958 },
    table_up: { from: 0.795, to: 0.874 },
    culet_focus: { from: 0.539, to: 0.798 },
    stamped_lot_of_10: { shaken: 0.932, table_up: 0.912 },
    newest_parcel: { from: 0.54, to: 0.8, note: 'falling with lot size' },
  },
  not_covered: [
    'Stones cut from the same rough as a lot member are caught about 57 to 76% of the time.',
    'A stone that was never enrolled cannot be certified absent.',
    'Stones above about 0.08 ct are unmeasured.',
    'Stones returning mounted in jewellery are out of scope.',
  ],
} as const;

/** Kept with every answer. */
export const LOT_SCOPE =
  'Says which returning stones are confirmed as members of a declared lot. "Not confirmed" is neither "foreign" nor ' +
  '"absent"; stones of the same rough are often taken for each other. Bounds and exclusions: GET /api/lotscan/bounds.';
