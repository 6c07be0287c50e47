/** The contract: in short, as OpenAPI 3.1, and as a page. Open to everybody. */
import { Controller, Get, Inject } from '@nestjs/common';
import { PARTS, type Parts } from '../parts.js';
import { contractSummary } from './summary.js';

@Controller('api/v1')
export class ContractController {
  private readonly summary;

  constructor(@Inject(PARTS) { version, engine, model, asset }: Parts) {
    this.summary = contractSummary({ version, engine: engine.engine, model: model.digest, scope: asset.scope });
  }

  @Get()
  describe() {
    return this.summary;
  }
}
