/**
 * What one request may hold (design: "Limits"; specification, section 8). Each limit stands here and nowhere else; those
 * that the environment may set stand as its defaults.
 */
export const limits = {
  /** Points of one scan: at least, at most. */
  minPoints: 50,
  maxPoints: 100_000,
  /** Spectra a side by JSON. */
  jsonSpectra: 64,
  /** Levels of nesting in a JSON body. */
  jsonDepth: 64,
  /** Scans a side by files. */
  fileScans: 256,
  /** Zips of one side: entries, bytes once unpacked. */
  zipEntries: 512,
  unpackedBytes: 256 * 1024 * 1024,
  /** Characters of a stone reference. */
  referenceCharacters: 64,
};

export type Limits = typeof limits;
