/** The names in the paths of ladders and scorers. */
import { type CanActivate, type ExecutionContext, Injectable, Param } from '@nestjs/common';
import { Problem } from '#kit/http/problem';
import { ApiParam } from '#kit/http/swagger';
import { REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import { Calibrations } from './calibrations.js';

/** @throws Problem (not_found) */
export function rungOf(rejectTarget: string): RejectTarget {
  const number = /^0?\.\d{1,4}$/.test(rejectTarget) ? Number(rejectTarget) : Number.NaN;
  const rung = REJECT_TARGETS.find((target) => target === number);
  if (rung === undefined) throw new Problem('not_found', ': no such rung');
  return rung;
}

/** The population and the rung of the path are looked for before a body is read. */
@Injectable()
export class PathGuard implements CanActivate {
  constructor(private readonly calibrations: Calibrations) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { population, reject_target } = context
      .switchToHttp()
      .getRequest<{ params: Record<string, string> }>().params;
    if (population !== undefined) await this.calibrations.require(population);
    if (reject_target !== undefined) rungOf(reject_target);
    return true;
  }
}

export const Population = () => Param('population');
export const OfPopulation = () => ApiParam({ name: 'population', description: 'the population' });
