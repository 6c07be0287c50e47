/** POST /api/v1/expected */
import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { limits } from '#config/limits';
import { ForKeys } from '#keys/route-access';
import { Answers, example, Refuses, Repeatable } from '#kit/http/operations';
import { Problem } from '#kit/http/problem';
import { ReadsBody } from '#kit/http/read-body';
import { ApiBody, ApiOperation, ApiTags, ref } from '#kit/http/swagger';
import type { LabelStatus } from './decide.js';
import { Labels } from './labels.js';
import { type LabelResults, labelResults } from './route.dto.js';

/** Stands in the contract; a test sends it. */
const EXAMPLE = [
  {
    claim_id: 'clm_00000000000000000000000000000000',
    expected: 'match',
    stone_id: 'AB12',
    note: 'from the cutting plan',
  },
];

/** All that a label item is read by. */
const LABEL_MEMBERS = ['claim_id', 'expected', 'stone_id', 'note'];

@ApiTags('verification')
@Controller('api/v1/expected')
export class ExpectedController {
  constructor(private readonly labels: Labels) {}

  @Post()
  @HttpCode(200)
  @ForKeys()
  @ReadsBody({ maxBytes: limits.labelBytes, items: { most: limits.labels, members: LABEL_MEMBERS } })
  @Repeatable()
  @ApiOperation({
    operationId: 'labelClaims',
    summary: 'Label claims with their ground truth',
    description: 'Advisory: labels never move a threshold. Items are answered one by one, in order.',
  })
  @ApiBody({ schema: ref('Labels'), examples: example(EXAMPLE) })
  @Answers('the result for each item', labelResults)
  @Refuses('bad_request', 'busy')
  async label(@Body() body: unknown, @Req() request: FastifyRequest): Promise<LabelResults> {
    const results = await this.labels.label(request.apiKey!, itemsOf(body), request.id);
    const counts: Record<LabelStatus, number> = { accepted: 0, duplicate: 0, amended: 0, rejected: 0 };
    for (const { status } of results) counts[status]++;
    return { results, counts };
  }
}

function itemsOf(body: unknown): unknown[] {
  const items = Array.isArray(body) ? body : (body as { items?: unknown } | null)?.items;
  if (!Array.isArray(items)) {
    throw new Problem('unprocessable', ': send an array of label items, or an object with items holding one');
  }
  if (items.length > limits.labels) {
    throw new Problem('bad_request', `at most ${limits.labels} labels per call, not ${items.length}`);
  }
  return items;
}
