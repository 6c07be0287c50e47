import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { previewOf } from '../../../tools/preview.js';

/** The contract of the version "test". */
export const contract = await previewOf('test');

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(contract, 'contract');

/** Holds an answer to the schema that the contract has for it. */
export function expectContract(
  path: string,
  method: string,
  { status, body }: { status: number; body: unknown },
): void {
  const pointer = [path, method, 'responses', String(status), 'content', 'application/json', 'schema']
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/');
  const validate = ajv.getSchema(`contract#/paths/${pointer}`);
  if (!validate) throw new Error(`the contract has no ${status} for ${method} ${path}`);
  validate(body);
  expect(validate.errors ?? []).toEqual([]);
}
