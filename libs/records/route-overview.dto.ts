/** The query of the overview. */
import { OptionalTime } from '#kit/http/dto';

export class OverviewQuery {
  @OptionalTime('start of the window; 24 hours before its end by default')
  from?: string;

  @OptionalTime('end of the window; now by default')
  to?: string;
}
