/** The query of the findings' listing. */

import { pageQueryOf } from '#kit/http/listing-query';
import { FINDING_LISTING } from '#kit/views/listings';

export class FindingsQuery extends pageQueryOf(FINDING_LISTING) {}
