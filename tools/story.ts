/**
 * The samples of the contract, run: a service of its own gets simulated stones, every call of samples.ts is made in an order
 * that makes sense, and what was sent and answered is kept, shortened, as an example of the contract.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { MatchVerification } from '#client';
import { readConfiguration } from '#config/environment';
import { type SimulatedScan, scanFile } from '#simulator';
import type { Example } from '../apps/server/contract/examples.js';
import { type Service, startService } from '../apps/server/service.js';
import { holdLot } from '../apps/server/test/held-lots.js';
import { lotFiles } from '../lab/lots/lot-files.js';
import { simulateSecondFamily } from '../lab/second-family/simulate.js';
import { madeLot } from '../libs/science/lots/test/made-lots.js';
import { SAMPLES } from './samples.js';

/** As many as a threshold at 0.98 and a scorer need, and some more: not every claim teaches. */
const STONES = 110;
const SEED = 77;
export const SECRETS = { anna: 'anna-key', population: 'antwerp' };
const PATIENCE_MS = 120_000;

// biome-ignore lint/suspicious/noExplicitAny: answers of every operation
type Body = any;
type Run = (client: MatchVerification, names: Record<string, unknown>) => Promise<void>;
const AsyncFunction = (async () => {}).constructor as new (
  ...texts: string[]
) => (...values: unknown[]) => Promise<void>;

/** A sample as a function of its client and of the names that it uses. */
function sampleOf(operation: string): Run {
  const text = SAMPLES[operation];
  const quiet = { log: () => {} };
  return (client, names) =>
    new AsyncFunction('client', 'console', ...Object.keys(names), text)(client, quiet, ...Object.values(names));
}

/** Lists and texts as long as a reader wants them. */
function shortened(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    const secret = secrets.find((one) => value.includes(one));
    return secret ? value.replace(secret, `${secret.slice(0, 12)}...`) : value;
  }
  if (Array.isArray(value)) {
    const kept = typeof value[0] === 'object' ? 2 : 6;
    return value.slice(0, kept).map((one) => shortened(one, secrets));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one, secrets)]));
}

/** Keeps the first call of each sample. */
class Recorder {
  readonly examples: Record<string, Example> = {};
  readonly secrets: string[] = [SECRETS.anna];
  private seen: { request: Request; response: Response } | undefined;

  /** Sends a request, in place of fetch. */
  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, { ...init, duplex: 'half' } as RequestInit);
    const copy = request.clone();
    const response = await fetch(request);
    this.seen ??= { request: copy, response: response.clone() };
    return response;
  };

  async run(operation: string, client: MatchVerification, names: Record<string, unknown> = {}): Promise<Body> {
    this.seen = undefined;
    await sampleOf(operation)(client, names);
    if (!this.seen) throw new Error(`${operation}: the sample sent nothing`);
    const { request, response } = this.seen as { request: Request; response: Response };
    const { pathname, search } = new URL(request.url);
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const answer: Body = type.endsWith('json')
      ? await response.json()
      : type === 'text/event-stream'
        ? await firstEvents(response)
        : /^text|svg/.test(type)
          ? await response.text()
          : null;
    const example: Example = { path: `${pathname}${search}`, ...(await bodyOf(request)), status: response.status };
    if (typeof answer === 'string') example.answer = answer.split('\n').slice(0, 6).join('\n').slice(0, 600);
    else if (answer !== null) {
      for (const name of ['key', 'token']) if (typeof answer[name] === 'string') this.secrets.push(answer[name]);
      example.answer = shortened(answer, this.secrets);
    }
    this.examples[operation] = example;
    return answer;
  }
}

/** The first events of a stream. */
async function firstEvents({ body }: Response): Promise<string> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('data:')) text += (await reader.read()).value ?? '';
  void reader.cancel();
  return text;
}

async function bodyOf(request: Request): Promise<Pick<Example, 'body' | 'form'>> {
  const type = request.headers.get('content-type') ?? '';
  if (type.startsWith('multipart/')) {
    const parts = [...(await request.formData())];
    const form = parts.map(([name, value]) => [name, typeof value === 'string' ? value : `@${value.name}`] as const);
    return { form: form.filter(([name], i) => form.slice(0, i).filter((one) => one[0] === name).length < 3) };
  }
  return type.startsWith('application/json') ? { body: JSON.parse(await request.text()) } : {};
}

const filesOf = (scans: readonly SimulatedScan[], stone: string) =>
  scans.map((scan, i) => new File([Uint8Array.from(scanFile(scan, 'csv'))], `${stone}_${i + 1}.csv`));

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (
    const end = Date.now() + PATIENCE_MS;
    Date.now() < end;
    await new Promise((resolve) => setTimeout(resolve, 200))
  ) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
}

/** @returns an example for each operation, by its name */
export const tellStory = (): Promise<Record<string, Example>> => withStory(async (_, examples) => examples);

/** @param use what is done with the service at the end of the story; it is closed then */
export async function withStory<T>(use: (service: Service, examples: Record<string, Example>) => Promise<T>) {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-story-'));
  const operators = `anna:${createHash('sha256').update(SECRETS.anna).digest('hex')}`;
  const service = await startService({
    configuration: readConfiguration({
      ...{ PORT: '0', MVS_DATA_DIR: directory, MVS_THREADS: '2', MVS_OPERATOR_KEYS: operators },
      ...{ MVS_MAX_VIEW_WAIT_MS: '60000', MVS_SHADOW_MODEL: 'models/match-3' },
    }),
    logger: pino({ level: 'silent' }),
    version: JSON.parse(readFileSync('package.json', 'utf8')).version,
  });
  try {
    return await use(service, await told(service));
  } finally {
    await service.close();
    rmSync(directory, { recursive: true });
  }
}

async function told(service: Service): Promise<Record<string, Example>> {
  const recorder = new Recorder();
  const options = { baseUrl: service.address, fetch: recorder.fetch };
  const anna = new MatchVerification({ ...options, operatorKey: SECRETS.anna });
  const as = (run: MatchVerification) => (operation: string, names?: Record<string, unknown>) =>
    recorder.run(operation, run, names);
  const operator = as(anna);

  for (const open of ['showPaths', 'showContract', 'checkLiveness', 'checkReadiness', 'showOperator'])
    await operator(open);
  const { key } = await operator('createKey');
  const laboratory = as(new MatchVerification({ ...options, apiKey: key }));

  const stones = Array.from({ length: STONES }, (_, i) => simulateSecondFamily('second-air', SEED, i));
  const sides = stones.map(({ rough, polish }, i) => ({
    rough: filesOf(rough.slice(0, 3), `A${100 + i}_rough`),
    polish: filesOf(polish, `A${100 + i}_polish`),
  }));
  const answers: Body[] = [];
  for (const side of sides) answers.push(await laboratory('verifyMatch', side));
  // The polish of one stone with the roughs of others, until one passes or many were tried: something to find.
  for (let i = 1; i < 12; i++) await laboratory('verifyMatch', { rough: sides[i].rough, polish: sides[0].polish });
  await laboratory('verifyMatch', {
    rough: [new File(['no scan'], 'A100_rough_1.csv')],
    polish: sides[0].polish,
  }).catch(() => {});
  const confirmed = answers.find(({ verdict }) => verdict === 'MATCH');
  await laboratory('verifyMatch', sides[answers.indexOf(confirmed)]);
  const claimId = confirmed.claim_id;
  await laboratory('labelClaims', { claimId });
  await laboratory('getOwnClaim', { claimId });
  await laboratory('listOwnClaims');

  const { items: keys } = await operator('listKeys');
  for (const listing of [
    'listClaims',
    'listClaimRows',
    'streamClaims',
    'listDrift',
    'listCalibrations',
    'listCalls',
    'listViews',
  ])
    await operator(listing);
  for (const read of ['showOverview', 'readHealth', 'readMetrics', 'checkHygiene', 'summariseCalls'])
    await operator(read);
  await operator('getClaim', { claimId });
  await operator('reviewClaim', { claimId: answers.find(({ verdict }) => verdict === 'NO_MATCH').claim_id });
  const { items: findings } = await operator('listFindings');
  await operator('getFinding', { findingId: findings[0].id });
  await operator('reviewFinding', { findingId: findings[0].id });

  const { rungs } = await operator('getCalibration');
  await operator('getCalibrationScores');
  await operator('tryThreshold');
  const { proposal } = rungs.find((rung: { reject_target: number }) => rung.reject_target === 0.98);
  await operator('approveThreshold', { proposalDigest: proposal.proposal_digest });
  await operator('getCalibrationHistory');
  await operator('readStream');
  await operator('getAuditBundle');
  await operator('withdrawThreshold');
  const scorer = await until('a scorer is proposed', async () => (await operator('getScorer')).proposal ?? undefined);
  await operator('tryScorer');
  await operator('approveScorer', { proposalDigest: scorer.proposal_digest ?? scorer.digest });
  await operator('withdrawScorer');

  const { installed } = await operator('showModels');
  const other = installed.find(({ live }: Body) => !live);
  await operator('switchModel', { model: other.model });
  await lots(recorder, service, operator);
  const event = { id: randomUUID(), type: 'FromTheFuture', version: 1, data: {} };
  const { position } = await service.log.append('claim-future', [event], 'any');
  await until('the views stop at it', async () => {
    const { views } = await anna.views();
    return views.some(({ failure }) => Boolean(failure)) || undefined;
  });
  await operator('skipEvent', { position: String(position) });
  await operator('changeKey', { keyPrefix: keys[0].prefix });
  await operator('revokeKey', { keyPrefix: keys[0].prefix });
  return recorder.examples;
}

async function lots(
  recorder: Recorder,
  { address: baseUrl, log }: Service,
  operator: (operation: string, names?: Record<string, unknown>) => Promise<Body>,
) {
  const { token } = await operator('createWorkspace');
  const client = new MatchVerification({ baseUrl, fetch: recorder.fetch, workspaceToken: token });
  const run = (operation: string, names?: Record<string, unknown>) => recorder.run(operation, client, names);
  const order = { parcel: 0, stones: 20, session: 'shaken', scans: 3, substitution: 0.2, twins: false } as const;
  const { files } = lotFiles({ ...order, family: 'test', seed: 9 });
  const under = (folder: string) =>
    files
      .filter(({ name }) => name.startsWith(`${folder}/`))
      .map(({ name, data }) => new File([Uint8Array.from(data)], name.slice(folder.length + 1)));
  await run('showBounds');
  const { lot_id: lotId } = await run('enrolLot', { files: under('enrol') });
  const { check_id: checkId } = await run('checkLot', { lotId, files: under('return') });
  for (const operation of ['listLots', 'getLot', 'listLotChecks', 'rehearseLot', 'changeLot'])
    await run(operation, { lotId });
  for (const operation of ['getLotCheck', 'drawLotCheck', 'reportLotCheck']) await run(operation, { lotId, checkId });
  await run('retireLot', { lotId });
  const { items } = await operator('listWorkspaces');
  const { prefix: tokenPrefix, name } = items[0];
  const workspace = { id: tokenPrefix.slice(-16), name };
  for (let parcel = 0; parcel < 5; parcel++)
    await holdLot(log, workspace, madeLot(parcel, { stones: 10, exchanged: 2 }));
  const found = async () => (await operator('getLotScorer', { tokenPrefix })).proposal ?? undefined;
  const { proposal_digest: proposalDigest } = await until('a lot scorer is proposed', found);
  await operator('approveLotScorer', { tokenPrefix, proposalDigest });
  await operator('getLotAuditBundle', { tokenPrefix });
  await operator('withdrawLotScorer', { tokenPrefix });
  await operator('revokeWorkspace', { tokenPrefix: items[0].prefix });
}

/** `npm run examples`: writes what the contract shows. */
if (process.argv[1] === import.meta.filename) {
  const examples = await tellStory();
  writeFileSync('apps/server/contract/examples.json', `${JSON.stringify(examples, null, 1)}\n`);
}
