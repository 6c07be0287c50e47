/** What may be asked of drift. */
import { OptionalText, PageQuery } from '../http/dto.js';

export class DriftQuery extends PageQuery {
  @OptionalText('population')
  population?: string;
}
