/**
 * The schema of a bundle's files (docs/audit/bundle.schema.json) against the service's own events and against both verifiers:
 * a member too many, too few or of another type is found by all, and they name it.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Compile } from 'typebox/schema';
import { catalogue } from '#catalogue/catalogue';
import { type Change, event as changedEvent, claims, listing, manifest } from './test/changes.js';
import { type Files, filesOfZip, oldBundle, removeFolder, writeFiles } from './test/forge.js';
import { PYTHON, secondVerifier, withPython } from './test/second-verifier.js';
import { verifyBundle } from './unpack.js';
import { VERIFIER, VERIFIER_PARTS } from './writing.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const sources = join(root, relative(join(root, 'dist'), here), 'test');

type Json = Record<string, unknown>;
/** Of one kind of file or line. */
interface Sample {
  kind:
    | 'manifest'
    | 'signature'
    | 'decisions'
    | 'decisions-1'
    | 'decisions-4'
    | 'event'
    | 'claim'
    | 'scorer'
    | 'ladders';
  value: Json;
}
interface Changed extends Sample {
  /** The member that was changed; undefined if none was. */
  member?: string;
}

const schema = JSON.parse(readFileSync(join(dirname(VERIFIER), 'bundle.schema.json'), 'utf8'));
const json = (text: string | Buffer): Json => JSON.parse(text.toString());
const linesOf = (text: string) => text.trimEnd().split('\n').map(json);

/** Places of the log where the samples stand. */
const PLACE = { stream: 's', revision: 0, id: '00000000-0000-7000-8000-000000000000' };
const STORED_AT = { recorded_at: '2026-11-01T00:00:00.000Z' };
const event = ({ type, version, data }: Json): Sample => ({
  kind: 'event',
  value: { ...PLACE, type, version, ...STORED_AT, metadata: { correlationId: 'request-0' }, data },
});

/** One of every version of an event that a bundle may hold, as test/golden has it. */
function goldenEvents(types: string[]): Sample[] {
  const folder = join(root, 'test', 'golden');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ndjson'));
  const found = new Map<string, Json>();
  for (const line of files.flatMap((file) => linesOf(readFileSync(join(folder, file), 'utf8'))))
    if (types.includes(String(line.type))) found.set(`${line.type}-${line.version}`, line);
  return [...found.values()].map(event);
}

const SCORER = {
  ...{ method: 'population-scorer/2', population: 'lab-a', model: 'a'.repeat(64), encoders: ['one'], claims: 30 },
  ...{ evidence_digest: 'b'.repeat(64), groups: [1, 2], weights: [0.5], directions: [[3]] },
  ladder: {
    ...{ groups: 30, population: 'second' },
    rungs: [{ reject_target: 0.98, threshold: 1.5, expected_genuine_accept: null }],
  },
  curve: { scores: [0.5], probabilities: [0.25], from: 'own' },
};

const OF_WORKSPACE = {
  ...{ workspace: { id: '0123456789abcdef', name: 'a trader' }, method: 'lot-scorer/1' },
  ...{ chain_root: 'c'.repeat(64), models: ['a'.repeat(64)], decisions: [] },
};

const SEALS = { sealed: 7, taken: 0, unsealed: 0 };

function samplesOf(files: Files): Sample[] {
  const listing = json(files.get('decisions.json')!);
  const [claims] = [...files.keys()].filter((path) => path.endsWith('claims.ndjson'));
  const ladders = json(readFileSync(join(root, 'models', 'match-4', 'scorer.json')));
  const types = Object.keys(schema.$defs).map((name) => name.split('-')[0]);
  return [
    { kind: 'manifest', value: json(files.get('manifest.json')!) },
    { kind: 'manifest', value: { ...json(files.get('manifest.json')!), seals: SEALS } },
    { kind: 'signature', value: { algorithm: 'Ed25519', key: 'a'.repeat(64), signature: 'b'.repeat(128) } },
    { kind: 'decisions-1', value: listing },
    { kind: 'decisions', value: { ...listing, chain_root: 'c'.repeat(64) } },
    { kind: 'decisions-4', value: OF_WORKSPACE },
    { kind: 'claim', value: linesOf(files.get(claims)!.toString())[0] },
    { kind: 'scorer', value: SCORER },
    {
      kind: 'ladders',
      value: {
        ...{ ...ladders, banks: (ladders.banks as Json[]).slice(0, 1) },
        worlds: { ...(ladders.worlds as Json), covariances: [{ within: 'AAAA', across: 'AAAA' }] },
      },
    },
    ...goldenEvents(types),
  ];
}

const otherType = (value: unknown) => (typeof value === 'string' ? 7 : typeof value === 'object' ? 'text' : []);

/** Every way to put a member too many or of another type into a value, or to take one out; long lists by their first item. */
function* changesOf(value: unknown): Generator<{ value: unknown; member: string }> {
  if (Array.isArray(value)) {
    for (const { value: first, member } of changesOf(value[0])) yield { value: [first, ...value.slice(1)], member };
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  yield { value: { ...value, surplus: [] }, member: 'surplus' };
  for (const [member, held] of Object.entries(value)) {
    const { [member]: _, ...less } = value as Json;
    yield { value: less, member };
    yield { value: { ...value, [member]: otherType(held) }, member };
    for (const inside of changesOf(held)) yield { value: { ...value, [member]: inside.value }, member: inside.member };
  }
}

let files: Files;
let samples: Sample[];
let changed: Changed[];
beforeAll(async () => {
  const zip = join(tmpdir(), `mvs-schema-${process.pid}.zip`);
  oldBundle(sources, zip);
  files = await filesOfZip(zip);
  rmSync(zip);
  samples = samplesOf(files);
  changed = samples.flatMap((sample): Changed[] =>
    [...changesOf(sample.value)].map(({ value, member }) => ({ ...sample, value: value as Json, member })),
  );
});

const validators = new Map<string, ReturnType<typeof Compile>>();
/** By the schema alone. */
function isSound({ kind, value }: Sample): boolean {
  if (!validators.has(kind)) validators.set(kind, Compile({ $ref: `#/$defs/${kind}`, $defs: schema.$defs }));
  return validators.get(kind)!.Check(value);
}

/** True if a fault's text has the member's name; of an event's data as a whole it may have the type in its place. */
const names = (fault: string, { value, member }: Changed) =>
  fault.includes(String(member)) || (member === 'data' && fault.includes(String(value.type)));

/** The changes that a verifier judges otherwise than the schema, or whose fault it tells without the member. */
const disagreements = (all: Changed[], faults: (string | null)[]) =>
  all
    .map((one, i) => ({ ...one, fault: faults[i] }))
    .filter((one) => isSound(one) !== (one.fault === null) || (one.fault !== null && !names(one.fault, one)));

describe('the schema of a bundle', () => {
  it('takes what bundles hold, every version of every event among them, and refuses hundreds of changes of it', () => {
    for (const sample of samples) expect({ ...sample, sound: isSound(sample) }).toEqual({ ...sample, sound: true });
    const versions = samples
      .filter(({ kind }) => kind === 'event')
      .map(({ value }) => `${value.type}-${value.version}`);
    expect(versions.sort()).toEqual(
      Object.keys(schema.$defs)
        .filter((name) => /^[A-Z]/.test(name))
        .sort(),
    );
    expect(changed.filter((one) => !isSound(one)).length).toBeGreaterThan(500);
  });

  it('has the members of the catalogue for each event’s newest version, and the same may be left out', () => {
    for (const type of Object.keys(catalogue) as (keyof typeof catalogue)[]) {
      const ours = schema.$defs[`${type}-${catalogue[type].version}`];
      if (!ours) continue;
      const { properties, required } = catalogue[type].schema;
      expect([type, Object.keys(ours.properties).sort()]).toEqual([type, Object.keys(properties).sort()]);
      expect([type, [...ours.required].sort()]).toEqual([type, [...(required ?? [])].sort()]);
      expect(schema.$defs).not.toHaveProperty(`${type}-${catalogue[type].version + 1}`);
    }
  });

  it('says of every change what verify.mjs says, which names the member', async () => {
    const grammar = await import(pathToFileURL(join(VERIFIER_PARTS, 'grammar.mjs')).href);
    const shapes: Record<string, (value: Json, at: string) => string | undefined> = {
      manifest: grammar.manifestShape,
      signature: grammar.signatureShape,
      decisions: grammar.decisionsShape(2),
      'decisions-1': grammar.decisionsShape(1),
      'decisions-4': grammar.decisionsShape(4),
      claim: grammar.claimShape,
      scorer: grammar.scorerShape,
      ladders: grammar.laddersShape,
      event(value) {
        try {
          return grammar.checkEvent('events.ndjson', 1, value);
        } catch (fault) {
          return (fault as Error).message;
        }
      },
    };
    const all = [...samples, ...changed];
    const faults = all.map(({ kind, value }) => shapes[kind](value, 'it') ?? null);
    expect(disagreements(all, faults)).toEqual([]);
  });

  (withPython ? it : it.skip)('and what verify.py says (needs python3 with numpy)', () => {
    const script = [
      'import json, sys',
      'sys.path.insert(0, sys.argv[1])',
      'import verify',
      'def of_event(value, at):',
      '    fault = verify.ENVELOPE(value, at)',
      '    if fault is not None:',
      '        return fault',
      '    versions = verify.DATA[value["type"]]',
      '    known = 1 <= value["version"] <= len(versions)',
      '    return versions[value["version"] - 1](value["data"], value["type"]) if known else "version"',
      'shapes = {"manifest": verify.MANIFEST, "signature": verify.SIGNATURE, "decisions": verify.LISTING[2], "decisions-1": verify.LISTING[1], "decisions-4": verify.LISTING[4],',
      '          "claim": verify.CLAIM, "scorer": verify.SCORER, "ladders": verify.LADDERS, "event": of_event}',
      'print(json.dumps([shapes[each["kind"]](each["value"], "it") for each in json.load(sys.stdin)]))',
    ].join('\n');
    const all = [...samples, ...changed];
    const { stdout, stderr } = spawnSync(PYTHON, ['-B', '-c', script, dirname(VERIFIER)], {
      ...{ input: JSON.stringify(all), encoding: 'utf8', maxBuffer: 1 << 28 },
    });
    expect(stderr).toBe('');
    expect(disagreements(all, JSON.parse(stdout))).toEqual([]);
  });
});

describe('a bundle with a fault in a file', () => {
  const second = secondVerifier();
  const taken = (from: Json, member: string) => {
    delete from[member];
  };
  const claim = (change: (one: Json) => void): Change =>
    claims((text) => {
      const [first, ...others] = text.split('\n');
      const one = json(first);
      change(one);
      return [JSON.stringify(one), ...others].join('\n');
    });
  const submitted = (change: (data: Json) => void) => changedEvent('ClaimSubmitted', ({ data }) => change(data));
  const faults: [file: string, member: string, change: Change][] = [
    ['manifest.json', 'surplus', manifest((one) => Object.assign(one, { surplus: 1 }))],
    ['manifest.json', 'sha256', manifest(({ files: [entry] }) => taken(entry, 'sha256'))],
    ['manifest.json', 'bytes', manifest(({ files: [entry] }) => Object.assign(entry, { bytes: '1' }))],
    ['decisions.json', 'surplus', listing((one) => ({ ...one, surplus: 1 }))],
    ['decisions.json', 'models', listing(({ models: _, ...one }) => one)],
    ['decisions.json', 'claims', listing(({ models: [one] }) => void Object.assign(one, { claims: '1' }))],
    ['events.ndjson', 'surplus', submitted((data) => Object.assign(data, { surplus: 1 }))],
    ['events.ndjson', 'transport', submitted((data) => taken(data, 'transport'))],
    ['events.ndjson', 'reject_target', submitted((data) => Object.assign(data, { reject_target: '0.98' }))],
    ['claims.ndjson', 'surplus', claim((one) => Object.assign(one, { surplus: 1 }))],
    ['claims.ndjson', 'polish', claim((one) => taken(one, 'polish'))],
    ['claims.ndjson', 'claim_id', claim((one) => Object.assign(one, { claim_id: 7 }))],
  ];
  it.each(faults)('in %s is refused by all verifiers, which name the file and %s', async (file, member, change) => {
    const bad = new Map(files);
    change(bad);
    const folder = writeFiles(bad);
    try {
      const all = [(await verifyBundle(folder)).says];
      if (withPython) all.push((await second([folder])).out);
      for (const said of all) expect(said).toMatch(new RegExp(`${file}: .*\\b${member}\\b`));
    } finally {
      removeFolder(folder);
    }
  });
});
