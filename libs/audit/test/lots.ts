/** A workspace's log and bundle: lots of stones that the model does not know, a scorer asked for and approved, withdrawn, approved again. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Approvals } from '#calibration/approvals';
import { upcast } from '#catalogue/upcast';
import { CommandHandler } from '#kit/log/command-handler';
import { newEventId } from '#kit/log/event-id';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { LotScorerDecisions, type LotScorerDecisionsDependencies } from '#lots/scorer-decisions';
import { LotScorers } from '#lots/scorers';
import { readLotFolder } from '#science/lots/folder';
import { proposeLotScorer } from '#science/lots/scorer/propose';
import { shippedLotModelFolder } from '#science/lots/shipped';
import { type MadeLot, madeLot } from '#science/lots/test/made-lots';
import { holdLot } from '../../../apps/server/test/held-lots.js';
import { prepareLotsBundle } from '../lots-bundle.js';
import { zipOfPrepared } from '../zip.js';

export const WORKSPACE = { id: '2f6fcbe2bd862b54', name: 'a trader' };

/** @returns the bundle's file; its lots rest on five lots first, then on seven */
export async function exportedWorkspace(place: string): Promise<string> {
  const directory = join(place, 'log');
  const store = await openSqliteEventStore({ directory, upcast });
  const folder = readLotFolder(shippedLotModelFolder());
  const checks: { position: number; lot_id: string; check_id: string; returned: number }[] = [];
  const hold = async (lot: MadeLot) => {
    const ids = await holdLot(store, WORKSPACE, lot);
    checks.push({ ...ids, position: checks.length, returned: lot.truth.length });
  };
  const scoring: LotScorerDecisionsDependencies['scoring'] = {
    decide: async (_, { history }: never) => proposeLotScorer(folder.model, history) as never,
  };
  const decisions = new LotScorerDecisions({
    ...{ store, folder, scoring, viewWaitMs: 60_000 },
    approvals: new Approvals({
      commands: new CommandHandler(store, newEventId),
      ...{ fourEyes: true, approvers: ['anna', 'ben'] },
      now: () => new Date('2026-11-24T12:00:00Z'),
    }),
    workspaces: { ownerOf: async () => WORKSPACE },
    scorers: new LotScorers({ store, folder }),
    reads: { ask: async () => ({ lots: checks.length, marked: checks.length, checks }) as never },
    logger: { error: (fault: unknown) => expectNone(fault) },
  });
  const decided = (operator: string) => ({ operator, reason: 'seen', requestId: 'r' });
  const approve = async () => {
    const { proposal } = await decisions.record(WORKSPACE.id);
    for (const operator of ['anna', 'ben'])
      await decisions.approve(WORKSPACE.id, decided(operator), proposal?.digest as string);
  };
  const stones = [11, 10, 10, 12, 10, 11, 10];
  for (const [parcel, count] of stones.slice(0, 5).entries())
    await hold(madeLot(parcel, { stones: count, exchanged: 3 }));
  await approve();
  await decisions.withdraw(WORKSPACE.id, decided('anna'));
  for (const [i, count] of stones.slice(5).entries()) await hold(madeLot(5 + i, { stones: count, exchanged: 3 }));
  await hold(madeLot(9, { stones: 10, exchanged: 0, name: 'not rested on' }));
  checks.pop();
  await approve();
  await store.close();
  const reader = openSqliteEventReader({ directory, upcast });
  const file = join(place, 'lots.zip');
  const { zip, done } = await zipOfPrepared(await prepareLotsBundle({ reader, id: WORKSPACE.id, seals: undefined }));
  await Promise.all([done, pipeline(zip, createWriteStream(file))]);
  await reader.close();
  return file;
}

function expectNone(fault: unknown): never {
  throw fault;
}
