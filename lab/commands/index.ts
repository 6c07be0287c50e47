/** The commands of `mvs` that make models and pages. */
import type { Command } from 'commander';
import * as calibrate from './calibrate.js';
import * as gauges from './gauges.js';
import * as holes from './holes.js';
import * as judge from './judge.js';
import * as lots from './lots.js';
import * as picture from './picture.js';
import * as report from './report.js';
import * as simulate from './simulate.js';
import * as train from './train.js';

export function register(program: Command): void {
  for (const command of [calibrate, train, simulate, picture, gauges, holes, judge, report, lots])
    command.register(program);
}
