/** The holder of an operator key. */
import { Controller, Get, Module, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { mayUse, SCOPES } from '#config';
import { ForOperators } from '../http/access.js';
import { Answers } from '../http/operations.js';
import { ApiOperation, ApiTags } from '../http/swagger.js';
import { Operator } from './operators.dto.js';

@ApiTags('service')
@Controller('api/v1/operators')
@ForOperators()
export class OperatorsController {
  @Get('me')
  @ApiOperation({
    operationId: 'showOperator',
    summary: 'Name and scopes of the operator key that asks',
    description: 'The scopes say which calls the key opens.',
  })
  @Answers('the operator', Operator)
  me(@Req() { operator, scopes = [] }: FastifyRequest): Operator {
    return { name: operator!, scopes: SCOPES.filter((scope) => mayUse({ scopes }, scope)) };
  }
}

@Module({ controllers: [OperatorsController] })
export class OperatorsModule {}
