/** The query of the drift listing. */
import { OptionalText, PageQuery } from '../http/dto.js';

export class DriftQuery extends PageQuery {
  @OptionalText('population')
  population?: string;
}
