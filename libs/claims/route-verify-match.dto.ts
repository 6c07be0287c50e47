/** Claims in the contract. Their bodies are read by hand (upload.ts): these say what is read. */

import { limits } from '#config/limits';
import { Files, Nested, Numbers, OneOf, optional, Text } from '#kit/http/dto';
import { ApiProperty } from '#kit/http/swagger';
import { DEFAULT_REJECT_TARGET, RUNGS } from '#science/calibration/ladder';
import { UNIT } from '#science/spectra/json';
import { SCAN_FILES } from '#science/spectra/names';

export class ScanSet {
  @Numbers('cm^-1: one axis for the side, ascending or descending, no value twice', {
    minItems: limits.minPoints,
    maxItems: limits.maxPoints,
  })
  wavenumbers!: number[];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'number', description: 'absorbance' } },
    description: 'each as long as wavenumbers; all values finite',
    minItems: 1,
    maxItems: limits.jsonSpectra,
  })
  spectra!: number[][];

  @Text(`your reference; trimmed, ${limits.referenceCharacters} characters are kept`, optional) stone_id?: string;
  @OneOf([UNIT], 'of the spectra; anything else is refused by name', optional) unit?: typeof UNIT;
}

export class Claim {
  @Nested(() => ScanSet) rough!: ScanSet;
  @Nested(() => ScanSet) polish!: ScanSet;
  @OneOf(RUNGS, `${DEFAULT_REJECT_TARGET} where it is left out; null is no rung`, optional) reject_target?: number;
}

export class ClaimForm {
  @Files(SCAN_FILES) rough_files!: string[];
  @Files('in the same formats as rough_files') polish_files!: string[];
  @Text('your reference of the rough; it wins over the names of the files', optional) rough_stone_id?: string;
  @Text('your reference of the polish', optional) polish_stone_id?: string;
  @OneOf(RUNGS, undefined, optional) reject_target?: number;
}
