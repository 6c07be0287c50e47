/** Calibration events that are not obeyed, from the replicas that count claims to those that do not. */

import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { type EventReader, InvalidEvent } from '#kit/log/port';
import { RecentStates } from '#kit/log/recent-states';
import { type DecisionPassedOver, type PassedOverState, passedOverDecider } from './events-passed-over.js';
import type { PassedOver } from './queries-evidence.js';

export interface PassedOverDecisionsDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
}

export class PassedOverDecisions {
  private readonly states: RecentStates<PassedOverState, DecisionPassedOver>;

  constructor(private readonly dependencies: PassedOverDecisionsDependencies) {
    this.states = new RecentStates(dependencies.store, passedOverDecider);
  }

  /** As it stands recorded, or stood half a minute ago. @throws StoreUnavailable */
  of(population: string): Promise<PassedOverState> {
    return this.states.at(streams.passedOver(population));
  }

  /**
   * A recorded event adds nothing, nor does one in a stream of no population.
   * @throws StoreUnavailable
   */
  async record({ population, revision, problem }: PassedOver, at: Date): Promise<void> {
    const found = { population, revision, problem, at: at.toISOString() };
    const handled = this.dependencies.commands.handle(passedOverDecider, found, {
      stream: streams.passedOver(population),
    });
    await handled.catch((error) => {
      if (!(error instanceof InvalidEvent)) throw error;
    });
  }
}
