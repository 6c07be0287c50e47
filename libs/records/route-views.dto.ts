/** An operator's decision about an event that views cannot take. */
import { Matches } from 'class-validator';
import { RequiredText, Text } from '#kit/http/dto';

const POSITION = '^[0-9]{1,19}$';

export class Skip {
  @Matches(new RegExp(POSITION), { message: 'position must be the place in the log at which a view has stopped' })
  @Text('position at which a view has stopped; its failure names it', { pattern: POSITION })
  position!: string;

  @RequiredText('reason why it may be skipped')
  reason!: string;
}
