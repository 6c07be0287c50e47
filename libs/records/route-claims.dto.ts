/** The query of the ledger's listings. */

import { pageQueryOf } from '#kit/http/listing-query';
import { CLAIM_LISTING } from '#kit/views/listings';

export class ClaimsQuery extends pageQueryOf(CLAIM_LISTING) {}
