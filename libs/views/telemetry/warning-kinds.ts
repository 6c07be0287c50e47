/** Kinds of warnings (specification 2.3) by how their texts begin or read. */
const KINDS = [
  ['uncalibrated_population', /^uncalibrated population/i],
  ['unvalidated_expected_genuine_accept', /^unvalidated expected_genuine_accept/i],
  ['too_few_rough_scans', /^only [0-9]+ rough scans/i],
  ['duplicate_rough_scans', /^duplicate rough scans/i],
  ['multiple_stone_ids', /stone ids detected/i],
  ['insufficient_coverage', /^insufficient wavenumber coverage/i],
  ['off_manifold', /^off-manifold input/i],
  ['locally_polynomial', /^locally polynomial input/i],
  ['replay_flag_ignored', /^replay flag ignored/i],
  ['experimental_rung', /^experimental rung/i],
] as const satisfies [kind: string, text: RegExp][];

export type WarningKind = (typeof KINDS)[number][0] | 'other';

export const WARNING_KINDS: readonly WarningKind[] = [...KINDS.map(([kind]) => kind), 'other'];

export const warningKind = (text: string): WarningKind => KINDS.find(([, reads]) => reads.test(text))?.[0] ?? 'other';
