import type { FastifyRequest } from 'fastify';
import type { ClaimReviewed, FindingReviewed } from '#domain';
import type { Parts } from '../parts.js';
import { Problem } from './problem.js';
import { Stated } from './validation.js';

export class ReviewBody {
  @Stated()
  note!: string;
}

type Reviewed = ClaimReviewed | FindingReviewed;

/** @param what the event's own members; who, when and by which request is added. @throws Problem (503) */
export async function keepReview<Event extends Reviewed>(
  { store, newId, now, views, configuration }: Parts,
  request: FastifyRequest,
  event: Pick<Event, 'type' | 'version'>,
  what: Omit<Event['data'], 'operator' | 'request_id' | 'at'>,
  { stream, view }: { stream: string; view: string },
): Promise<void> {
  const data = { ...what, operator: request.operator!, request_id: request.id, at: now().toISOString() };
  const metadata = { correlationId: request.id };
  const { position } = await store.append(stream, [{ id: newId(), ...event, data, metadata }], 'any');
  if (!(await views.file(view).waitFor(position, configuration.viewWaitMs))) {
    throw new Problem('busy', ': the review is stored; the view has not caught up with it', {
      headers: { 'retry-after': '2' },
    });
  }
}
