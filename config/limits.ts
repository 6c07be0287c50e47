const KiB = 1024;
const MiB = 1024 * KiB;

/** Labels per call. */
const labels = 5000;
const noteCharacters = 280;
/** Characters of a label besides its note: stone_id, claim_id, names, and blanks to set it out. */
const otherCharacters = 400;
/** Most bytes of a character in JSON: two escapes of six. */
const bytesACharacter = 12;

/** Limits of one request. Each stands here and nowhere else; those that the environment may set stand as its defaults. */
export const limits = {
  /** Bytes of a body: of a claim, of labels (each with the longest of everything, whatever its escaping), of any other. */
  claimBytes: 64 * MiB,
  labelBytes: labels * (noteCharacters + otherCharacters) * bytesACharacter,
  otherBytes: 64 * KiB,
  /** Bytes of a form's field that is no file; such fields: those that are read, and some that a client's library adds. */
  fieldBytes: 4 * KiB,
  fields: 16,
  /** Labels of one call; characters of a label's note. */
  labels,
  noteCharacters,
  /** Points of one scan: at least, at most. */
  minPoints: 50,
  maxPoints: 100_000,
  /** Spectra a side by JSON. */
  jsonSpectra: 64,
  /** Levels of nesting in a JSON body. */
  jsonDepth: 64,
  /** Scans a side by files. */
  fileScans: 256,
  /** Scans of one lot or check. */
  lotScans: 1024,
  /** Zips: entries of one side, bytes of one request once unpacked. */
  zipEntries: 512,
  unpackedBytes: 256 * MiB,
  /** Points of the scans of one request, by files. */
  requestPoints: 8_000_000,
  /** Characters of a stone reference, of a name, of a reason or an operator's note. */
  referenceCharacters: 64,
  nameCharacters: 64,
  reasonCharacters: 2000,
  /** Items of a page of a listing: where none is asked, at most. */
  pageItems: 100,
  maxPageItems: 1000,
};

export type Limits = typeof limits;

/** The limits for the files of one lot or check, which are many and small. */
export const lotLimitsOf = (of: Limits): Limits => ({
  ...of,
  fileScans: of.lotScans,
  zipEntries: Math.max(of.zipEntries, 2 * of.lotScans),
});
