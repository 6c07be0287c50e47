/** The endpoints by which operators approve and withdraw, whatever is decided about. */
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  HttpCode,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { tap } from 'rxjs';
import type { TSchema } from 'typebox';
import { replyOf } from '#kit/http/access';
import { Digest, RequiredText } from '#kit/http/dto';
import { Answers, Refuses } from '#kit/http/operations';
import type { ErrorCode } from '#kit/http/problem';
import { ReadsBody } from '#kit/http/read-body';
import { ApiOperation } from '#kit/http/swagger';
import type { OperatorDecision } from './approvals.js';

export class ReasonBody {
  @RequiredText()
  reason!: string;
}

export class Approval extends ReasonBody {
  @Digest('proposal_digest', 'digest of the proposal that the operator saw')
  proposal_digest!: string;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  /** What is answered. */
  answers: [description: string, of: TSchema];
  /** Besides those of every decision. */
  refuses?: readonly ErrorCode[];
}

/** Withdraws what was approved. */
export const Withdraws = ({ answers, refuses = [], ...operation }: Operation) =>
  applyDecorators(
    HttpCode(200),
    ReadsBody({ optional: true }),
    ApiOperation(operation),
    Answers(...answers),
    Refuses('not_found', 'conflict', 'busy', ...refuses),
  );

/** 202 where a second operator has to approve. */
@Injectable()
class AwaitsSecond implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<{ awaiting_second_operator: object | null }>) {
    return next.handle().pipe(
      tap(({ awaiting_second_operator: awaited }) => {
        if (awaited) void replyOf(context).status(202);
      }),
    );
  }
}

/** Approves what is proposed, or asks for it. */
export const Approves = (operation: Operation) =>
  applyDecorators(
    UseInterceptors(AwaitsSecond),
    Withdraws(operation),
    Answers('the first of two operators asked for it; the second decides', operation.answers[1], 202),
  );

export const decisionOf = ({ operator, id }: FastifyRequest, { reason }: ReasonBody): OperatorDecision => ({
  operator: operator!,
  reason,
  requestId: id,
});
