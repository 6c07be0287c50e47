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
  @Text('where labels are sent') endpoint!: string;
  @Text('what for') purpose!: string;
  @Text('what to send') body!: string;
  @Numeric('labels of one call') max_per_call!: number;
  @Text('what labels do not do') advisory!: string;
}

export class Summary {
  @Text('its name') service!: string;
  @Text('of the service') version!: string;
  @Text('compute engine') engine!: string;
  @Text('digest of the live model', { pattern: '^[0-9a-f]{64}$' }) model!: string;
  @Text('where claims are sent') endpoint!: string;
  @Text('what a call needs') auth!: string;
  @Text('what the calibration covers') scope!: string;
  @Nested(() => Inputs) inputs!: Inputs;
  @OneOf(RUNGS, 'rungs that a claim may name', { isArray: true }) reject_targets!: number[];
  @OneOf(RUNGS) default_reject_target!: number;
  @Nested(() => ExpectedResults) expected_results!: ExpectedResults;
  @OneOf(RUNGS, undefined, { isArray: true }) experimental_reject_targets!: number[];
  @Text('what an experimental rung is for') experimental_note!: string;
  @Texts('what an integrator should know') notes!: string[];
}
