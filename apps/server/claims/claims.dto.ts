/** The query of the ledger's listings. */
import { CLAIM_LISTING } from '#views';
import { pageQueryOf } from '../http/listing-query.js';

export class ClaimsQuery extends pageQueryOf(CLAIM_LISTING) {}
