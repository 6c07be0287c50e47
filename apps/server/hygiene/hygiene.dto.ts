/** Hygiene checks in the contract. */
import { Objects, Of, OneOf, Text, Time, Whole } from '../http/dto.js';

export class HygieneCheck {
  @Text('name of the check') check!: string;
  @Text('what it means') meaning!: string;
  @Text('what to do') advice!: string;
  @OneOf(['ok', 'attention']) status!: 'ok' | 'attention';
  @Whole('what was found') found!: number;
  @Objects(undefined, { maxItems: 100 }) items!: object[];
}

export class Hygiene {
  @Time('when') at!: string;
  @Of(() => [HygieneCheck]) checks!: HygieneCheck[];
}
