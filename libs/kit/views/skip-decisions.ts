/** The way past an event that the views cannot take. */
import { type Static, Type } from 'typebox';
import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { CommandRefused } from '#kit/log/refused';
import type { ViewSkipped } from './events-skips.js';
import type { Views } from './runner.js';
import { string, texts, time } from './shapes.js';

export interface ViewSkipsDependencies {
  commands: CommandHandler;
  views: Pick<Views, 'stoppedAt'>;
  now(): Date;
}

export interface WantedSkip {
  /** The event's place in the log. */
  position: string;
  reason: string;
  operator: string;
  requestId: string;
}

/** A skip as it is answered. */
export const skipped = Type.Object(
  {
    position: string('as given'),
    stream: string('stream of the event'),
    type: string('kind of the event'),
    views: Type.Optional(
      texts('views that had stopped there and skip the event; left out: all, because none can read it'),
    ),
    reason: string('as given'),
    operator: string('operator who decided'),
    at: time(),
  },
  { $id: 'Skipped' },
);
export type Skipped = Static<typeof skipped>;

export class ViewSkips {
  constructor(private readonly dependencies: ViewSkipsDependencies) {}

  /** @returns what was stored. @throws CommandRefused (not_found) */
  async skip({ position, reason, operator, requestId }: WantedSkip): Promise<ViewSkipped['data']> {
    const { commands, views, now } = this.dependencies;
    const stop = views.stoppedAt(position);
    if (!stop) throw new CommandRefused('not_found', 'no view has stopped at this position');
    const data: ViewSkipped['data'] = {
      position,
      stream: stop.poison.stream,
      type: stop.poison.type,
      ...(stop.views && { views: stop.views }),
      reason,
      operator,
      request_id: requestId,
      at: now().toISOString(),
    };
    // It holds whatever else is skipped meanwhile, and no view is asked that has stopped.
    await commands.record(
      streams.views(),
      [{ type: 'ViewSkipped', version: 1, data } satisfies ViewSkipped],
      requestId,
    );
    return data;
  }
}
