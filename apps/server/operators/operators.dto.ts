/** Operators in the contract. */
import { SCOPES, type Scope } from '#config';
import { OneOf, Text } from '../http/dto.js';

export class Operator {
  @Text('name as configured; decisions and reviews carry it') name!: string;
  @OneOf(SCOPES, 'what the key may be used for: operate includes the others', { isArray: true }) scopes!: Scope[];
}
