/** What all listings share: page parameters, and views that are as new as the request. */
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { BadCursor, type Ledger } from '#views';
import type { Parts } from '../parts.js';
import { Problem } from './problem.js';

export class PageQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit = 100;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  cursor?: string;
}

/** The ledger once it holds all that was stored when the request came. @throws Problem (503) after a bounded wait */
export async function freshLedger({ store, ledger, configuration }: Parts): Promise<Ledger> {
  if (await ledger.waitFor(await store.head(), configuration.viewWaitMs)) return ledger;
  throw new Problem('busy', ': the ledger has not caught up with the log', { headers: { 'retry-after': '2' } });
}

export function paged<T>(list: () => T): T {
  try {
    return list();
  } catch (error) {
    if (error instanceof BadCursor) throw new Problem('bad_request', `: ${error.message}`);
    throw error;
  }
}
