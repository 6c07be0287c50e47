/** The body of an operator's note. */
import { Stated } from './validation.js';

export class ReviewBody {
  @Stated()
  note!: string;
}
