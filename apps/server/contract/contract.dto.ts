/** The contract in short, in the contract. */
import { type Static, Type } from 'typebox';
import { number, rung, said, sha256 } from '#views';

export const paths = Type.Object(
  { service: said('its name'), contract: said('path'), docs: said('path'), ready: said('path') },
  { $id: 'Paths' },
);

const toSend = said('what to send');
const formInputs = Type.Object(
  { rough_files: toSend, polish_files: toSend, reject_target: toSend },
  { $id: 'FormInputs' },
);
const jsonInputs = Type.Object({ rough: toSend, polish: toSend, reject_target: toSend }, { $id: 'JsonInputs' });
const expectedResults = Type.Object(
  {
    endpoint: said('path that labels are sent to'),
    purpose: said('its purpose'),
    body: toSend,
    max_per_call: number('labels of one call'),
    advisory: said('labels are advisory: they move no threshold'),
  },
  { $id: 'ExpectedResults' },
);

export const summary = Type.Object(
  {
    service: said('its name'),
    version: said('of the service'),
    engine: said('compute engine'),
    model: sha256('digest of the live model'),
    endpoint: said('path that claims are sent to'),
    auth: said('credential that a call needs'),
    scope: said('coverage of the calibration'),
    inputs: Type.Object({ multipart: formInputs, json: jsonInputs }, { $id: 'Inputs' }),
    reject_targets: Type.Array(rung, { description: 'rungs that a claim may name' }),
    default_reject_target: rung,
    expected_results: expectedResults,
    experimental_reject_targets: Type.Array(rung),
    experimental_note: said('use of an experimental rung'),
    notes: Type.Array(Type.String(), { description: 'notes for an integrator' }),
  },
  { $id: 'Summary' },
);
export type Summary = Static<typeof summary>;
