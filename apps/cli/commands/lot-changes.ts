/** Changes of an enrolled lot in its file: its name, its declared session type, its retirement. */
import { type Command, Option } from 'commander';
import { limits } from '#config/limits';
import { cleanName } from '#keys/events';
import { memberOf } from '#lots/decide';
import { readLotFolder } from '#science/lots/folder';
import { correctLot, membersOf } from '#science/lots/lot';
import { SESSION_TYPES, type SessionType } from '#science/lots/model';
import { shippedLotModelFolder } from '#science/lots/shipped';
import { InputError, UsageError } from '../exit.js';
import { inUse, type LotChange, type LotFile, ofModel, openLotFile, replaceLotFile, shownLot } from '../lot-file.js';
import { print } from '../print.js';

export function register(lots: Command): void {
  lots
    .command('change')
    .description('Rename an enrolled lot, or correct its declared session type. The file keeps what was changed.')
    .argument('<lot>', 'file that `mvs lots enrol` wrote')
    .option('--name <name>', 'another name')
    .addOption(
      new Option('--session-type <type>', 'how the stones lay; look-alikes and fit follow from it').choices(
        SESSION_TYPES,
      ),
    )
    .option('--model <folder>', 'folder of the lot model, for a session type (default: the shipped one)')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs lots change spring.json --name "spring, second part"' +
        '\n  mvs lots change spring.json --session-type table-up',
    )
    .action(change);
  lots
    .command('retire')
    .description(
      'Take an enrolled lot out of use: its file is read as before, and no longer checked, changed or rehearsed.',
    )
    .argument('<lot>', 'file that `mvs lots enrol` wrote')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExamples:\n  mvs lots retire spring.json')
    .action(retire);
}

interface Wish {
  name?: string;
  sessionType?: SessionType;
  model?: string;
  json?: true;
}

async function change(path: string, { name: wanted, sessionType, model: folder, json }: Wish): Promise<void> {
  if (wanted === undefined && sessionType === undefined)
    throw new UsageError('say what to change: --name or --session-type');
  let lot = inUse(path, await openLotFile(path));
  const at = new Date().toISOString();
  if (wanted !== undefined) {
    const name = cleanName(wanted);
    if (name === undefined) throw new InputError(`a name is 1 to ${limits.nameCharacters} printable characters`);
    if (name !== lot.name) lot = changed({ ...lot, name }, { what: 'renamed', to: name, at });
  }
  if (sessionType !== undefined && sessionType !== lot.session_type)
    lot = changed(corrected(path, lot, sessionType, folder), { what: 'session_type_corrected', to: sessionType, at });
  await replaceLotFile(path, lot);
  print(
    json
      ? shownLot(lot)
      : `${path}: ${lot.name}, ${lot.session_type}, ${lot.changes?.length ?? 0} changes since it was enrolled`,
  );
}

function corrected(path: string, lot: LotFile, session: SessionType, folder = shippedLotModelFolder()): LotFile {
  const { model, usual } = readLotFolder(folder);
  const members = membersOf(ofModel(path, lot, model).stones.map(memberOf), lot);
  const follows = correctLot(model, members, session, usual);
  return { ...lot, ...follows, session_type: session, session_type_source: 'declared' };
}

const changed = (lot: LotFile, one: LotChange): LotFile => ({ ...lot, changes: [...(lot.changes ?? []), one] });

/** Retiring it again changes nothing. */
async function retire(path: string, { json }: Wish): Promise<void> {
  let lot = await openLotFile(path);
  if (lot.retired_at === undefined) {
    const at = new Date().toISOString();
    lot = changed({ ...lot, retired_at: at }, { what: 'retired', to: null, at });
    await replaceLotFile(path, lot);
  }
  print(json ? shownLot(lot) : `${path}: ${lot.name} is retired since ${lot.retired_at}`);
}
