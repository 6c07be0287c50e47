/** Simulated lots, as a trader sends them: files of an enrolment and of what came back. */
import { limits, lotLimitsOf } from '#config/limits';
import { readLot } from '#kit/queue/lots/work';
import type { LotEvent } from '#lots/events';
import { checkLot, enrol } from '#science/lots/check';
import type { SessionType } from '#science/lots/model';
import { shippedLotModel } from '#science/lots/shipped';
import type { Purpose } from '#science/lots/stones';
import { lotFiles } from '../../../lab/lots/lot-files.js';
import type { Answered, Client } from './client.js';
import type { TestService } from './fixture.js';

export interface LotFile {
  name: string;
  data: Uint8Array<ArrayBuffer>;
}

export interface SentLot {
  enrol: LotFile[];
  back: LotFile[];
  /** By name of the returned stone: its member, or `substitute`. */
  truth: Record<string, string>;
}

const made = new Map<string, SentLot>();

/** @param parcel another parcel, another lot */
export function sentLot(
  parcel = 0,
  { stones = 20, session = 'shaken' as SessionType, substitution = 0.2, scans = 3 } = {},
): SentLot {
  const known = made.get(JSON.stringify([parcel, stones, session, substitution, scans]));
  if (known) return known;
  const order = { family: 'test' as const, seed: 9, parcel, stones, session, scans, substitution, twins: false };
  const { files } = lotFiles(order);
  const under = (folder: string) =>
    files
      .filter(({ name }) => name.startsWith(`${folder}/`))
      .map(({ name, data }) => ({ name: name.slice(folder.length + 1), data: Uint8Array.from(data) }));
  const truth = files.find(({ name }) => name === 'truth.json')!;
  const lot = {
    enrol: under('enrol'),
    back: under('return'),
    truth: JSON.parse(new TextDecoder().decode(truth.data)).return,
  };
  made.set(JSON.stringify([parcel, stones, session, substitution, scans]), lot);
  return lot;
}

const plain = new Map<string, Promise<SentLot>>();

/**
 * The first such lot in which the shipped model confirms every member as itself and no substitute: what is tested is the
 * service, not the model.
 */
export function plainLot(options: Parameters<typeof sentLot>[1] = {}): Promise<SentLot> {
  const key = JSON.stringify(options);
  const found = plain.get(key) ?? findPlain(options);
  plain.set(key, found);
  return found;
}

async function findPlain(options: Parameters<typeof sentLot>[1] = {}): Promise<SentLot> {
  const model = shippedLotModel();
  const read = async (purpose: Purpose, files: LotFile[]) => {
    const copies = files.map(({ name, data }) => ({ name, data: data.slice() }));
    return readLot({ purpose, files: copies }, model, lotLimitsOf(limits));
  };
  for (let parcel = 0; parcel < 50; parcel++) {
    const lot = sentLot(parcel, options);
    const [members, returned] = [await read('enrol', lot.enrol), await read('check', lot.back)];
    const { stones } = checkLot(model, enrol(model, members.vectors), returned.vectors, options.session ?? 'shaken');
    const right = stones.every(({ member }, i) => {
      const answered = member === null ? 'substitute' : members.stones[member].stone;
      return answered === lot.truth[returned.stones[i].stone];
    });
    if (right) return lot;
  }
  throw new Error('the shipped model distinguishes none of 50 lots');
}

export function lotForm(files: LotFile[], fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { name, data } of files) form.append('files', new Blob([data]), name);
  return form;
}

/** A holder of a workspace's token. */
export class Trader {
  constructor(
    private readonly client: Client,
    readonly token: string,
  ) {}

  static async in(client: Client, name: string): Promise<Trader> {
    const { status, body } = await client.json('POST', '/api/lotscan/workspaces', { name }, client.operator);
    if (status !== 201) throw new Error(`no workspace: ${status} ${JSON.stringify(body)}`);
    return new Trader(client, body.token);
  }

  get headers(): Record<string, string> {
    return { 'x-svc-token': this.token };
  }

  get(path: string): Promise<Answered> {
    return this.client.call('GET', `/api/lotscan${path}`, { headers: this.headers });
  }

  enrol(files: LotFile[], fields: Record<string, string>): Promise<Answered> {
    return this.client.call('POST', '/api/lotscan/lots', { headers: this.headers, body: lotForm(files, fields) });
  }

  check(lotId: string, files: LotFile[], fields: Record<string, string> = {}): Promise<Answered> {
    const path = `/api/lotscan/lots/${lotId}/check`;
    return this.client.call('POST', path, { headers: this.headers, body: lotForm(files, fields) });
  }

  rehearse(lotId: string, wish: unknown): Promise<Answered> {
    return this.client.json('POST', `/api/lotscan/lots/${lotId}/rehearse`, wish, this.headers);
  }
}

/** The files of so many stones, under other names where `more` stands before them. */
export const stonesOf = (files: LotFile[], count: number, more = '') => {
  const names = [...new Set(files.map(({ name }) => name.slice(0, name.lastIndexOf('_'))))].slice(0, count);
  return files
    .filter(({ name }) => names.includes(name.slice(0, name.lastIndexOf('_'))))
    .map(({ name, data }) => ({ name: more + name, data }));
};

/** What was enrolled, checked and rehearsed, as it is stored. */
export async function lotEvents({ service }: TestService): Promise<LotEvent[]> {
  const found: LotEvent[] = [];
  for await (const event of service.store.readAll({ types: ['LotEnrolled', 'LotChecked', 'LotRehearsed'] }))
    found.push(event as unknown as LotEvent);
  return found;
}
