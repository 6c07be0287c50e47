/** The query of the drift listing. */
import { OptionalText, PageQuery } from '#kit/http/dto';

export class DriftQuery extends PageQuery {
  @OptionalText('population')
  population?: string;
}
