/** The query of the findings' listing. */
import { FINDING_LISTING } from '#views';
import { pageQueryOf } from '../http/listing-query.js';

export class FindingsQuery extends pageQueryOf(FINDING_LISTING) {}
