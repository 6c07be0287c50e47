/** The contract in short, in the contract. */
import { type Static, Type } from 'typebox';
import { number, rung, sha256, string, texts } from '#kit/views/shapes';

export const paths = Type.Object(
  { service: string('its name'), contract: string('path'), docs: string('path'), ready: string('path') },
  { $id: 'Paths' },
);

const toSend = string('what to send');
const formInputs = Type.Object(
  {
    ...{ rough_files: toSend, polish_files: toSend, reject_target: toSend },
    ...{ rough_stone_id: toSend, polish_stone_id: toSend },
  },
  { $id: 'FormInputs' },
);
const jsonInputs = Type.Object({ rough: toSend, polish: toSend, reject_target: toSend }, { $id: 'JsonInputs' });
const expectedResults = Type.Object(
  {
    endpoint: string('path that labels are sent to'),
    purpose: string('its purpose'),
    body: toSend,
    max_per_call: number('labels of one call'),
    advisory: string('labels are advisory: they move no threshold'),
  },
  { $id: 'ExpectedResults' },
);

const auditKey = Type.Object(
  { id: string('of the secret that it follows from: 8 hex digits'), public_key: sha256('Ed25519, its 32 bytes') },
  { $id: 'AuditKey' },
);

const receiptKey = Type.Object(
  {
    ...{ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), alg: Type.Literal('EdDSA'), use: Type.Literal('sig') },
    kid: string('as receipts name it: the id of the same key in audit_keys'),
    x: string('its 32 bytes in base64url'),
  },
  { $id: 'ReceiptKey' },
);

export const summary = Type.Object(
  {
    service: string('its name'),
    version: string('of the service'),
    engine: string('compute engine'),
    model: sha256('digest of the live model'),
    endpoint: string('path that claims are sent to'),
    auth: string('credential that a call needs'),
    scope: string('coverage of the calibration, in full'),
    scope_version: string('its version, which answers name: the head of its SHA-256'),
    inputs: Type.Object({ multipart: formInputs, json: jsonInputs }, { $id: 'Inputs' }),
    reject_targets: Type.Array(rung, { description: 'rungs that a claim may name' }),
    default_reject_target: rung,
    expected_results: expectedResults,
    experimental_reject_targets: Type.Array(rung),
    experimental_note: string('use of an experimental rung'),
    notes: texts('notes for an integrator'),
    receipt_keys: Type.Object(
      { keys: Type.Array(receiptKey) },
      {
        $id: 'ReceiptKeys',
        description: 'the same keys as a JSON Web Key Set: receipts of verdicts are signed by them',
      },
    ),
    audit_keys: Type.Array(auditKey, {
      description:
        'keys that audit bundles are signed by: one for each secret of the log that is given, the newest first, which signs',
    }),
  },
  { $id: 'Summary' },
);
export type Summary = Static<typeof summary>;
