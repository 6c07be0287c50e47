/** The contract in short, in the contract. */
import { Nested, Numeric, OneOf, Text, Texts } from '../http/dto.js';
import { RUNGS } from '../verify-match/verify-match.dto.js';

export class Paths {
  @Text('its name') service!: string;
  @Text('path') contract!: string;
  @Text('path') docs!: string;
  @Text('path') ready!: string;
}

export class FormInputs {
  @Text('what to send') rough_files!: string;
  @Text('what to send') polish_files!: string;
  @Text('what to send') reject_target!: string;
}

export class JsonInputs {
  @Text('what to send') rough!: string;
  @Text('what to send') polish!: string;
  @Text('what to send') reject_target!: string;
}

export class Inputs {
  @Nested(() => FormInputs) multipart!: FormInputs;
  @Nested(() => JsonInputs) json!: JsonInputs;
}

export class ExpectedResults {
  @Text('path that labels are sent to') endpoint!: string;
  @Text('its purpose') purpose!: string;
  @Text('what to send') body!: string;
  @Numeric('labels of one call') max_per_call!: number;
  @Text('labels are advisory: they move no threshold') advisory!: string;
}

export class Summary {
  @Text('its name') service!: string;
  @Text('of the service') version!: string;
  @Text('compute engine') engine!: string;
  @Text('digest of the live model', { pattern: '^[0-9a-f]{64}$' }) model!: string;
  @Text('path that claims are sent to') endpoint!: string;
  @Text('credential that a call needs') auth!: string;
  @Text('coverage of the calibration') scope!: string;
  @Nested(() => Inputs) inputs!: Inputs;
  @OneOf(RUNGS, 'rungs that a claim may name', { isArray: true }) reject_targets!: number[];
  @OneOf(RUNGS) default_reject_target!: number;
  @Nested(() => ExpectedResults) expected_results!: ExpectedResults;
  @OneOf(RUNGS, undefined, { isArray: true }) experimental_reject_targets!: number[];
  @Text('use of an experimental rung') experimental_note!: string;
  @Texts('notes for an integrator') notes!: string[];
}
