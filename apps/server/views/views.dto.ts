/** The read models in the contract. */
import { Matches } from 'class-validator';
import { Flag, Of, optional, Stated, Text, Texts, Time, Whole } from '../http/dto.js';

const POSITION = '^[0-9]{1,19}$';

export class Rebuilding {
  @Text('how far the old file goes, which answers meanwhile') servedPosition!: string;
}

export class View {
  @Text('the view') name!: string;
  @Whole('of its fold') version!: number;
  @Text('everything up to here is in it') position!: string;
  @Flag('whether it has reached the log’s end since the start') caughtUp!: boolean;
  @Of(() => Rebuilding, undefined, optional) rebuilding?: Rebuilding;
  @Text('why it has stopped', optional) failure?: string;
}

export class ViewList {
  @Of(() => [View]) views!: View[];
}

export class Skip {
  @Matches(new RegExp(POSITION), { message: 'position must be the place in the log at which a view has stopped' })
  @Text('where a view has stopped, as its failure says', { pattern: POSITION })
  position!: string;

  @Stated('why it may be passed over')
  reason!: string;
}

export class Skipped {
  @Text('as given') position!: string;
  @Text('the event’s') stream!: string;
  @Text('the event’s') type!: string;
  @Texts('views that had stopped there and pass over it; left out: all, as none can read it', optional)
  views?: string[];
  @Text('as given') reason!: string;
  @Text('who') operator!: string;
  @Time('when') at!: string;
}
