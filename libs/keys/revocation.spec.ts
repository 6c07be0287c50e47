/** A revocation ends every claim, label and replay whose answer comes after its own. */
import { TestService } from '../../apps/server/test/fixture.js';
import { CLAIMS, revokeOften, UNBOUNDED } from './test/revocation.js';

/** More of them, with two replicas, are a later suite's. */
const ROUNDS = 8;

let service: TestService;
beforeAll(async () => {
  service = await TestService.start(UNBOUNDED);
});
afterAll(() => service?.stop());

it(`stands before every answer of its key that comes later, ${ROUNDS} times with ${CLAIMS} calls in flight`, () =>
  revokeOften([service], ROUNDS));
