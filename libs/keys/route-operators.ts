/** The holder of an operator key. */
import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { mayUse, SCOPES } from '#config/operators';
import { one } from '#domain/schemas';
import { ForOperators } from '#kit/http/access';
import { Answers } from '#kit/http/operations';
import { ApiOperation, ApiTags } from '#kit/http/swagger';
import { string } from '#kit/views/shapes';

const holder = Type.Object(
  {
    name: string('name as configured; decisions and reviews carry it'),
    scopes: Type.Array(one(...SCOPES), { description: 'what the key may be used for: operate includes the others' }),
  },
  { $id: 'Operator' },
);

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
  @Answers('the operator', holder)
  me(@Req() { operator, scopes = [] }: FastifyRequest): Static<typeof holder> {
    return { name: operator!, scopes: SCOPES.filter((scope) => mayUse({ scopes }, scope)) };
  }
}
