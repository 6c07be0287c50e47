/**
 * Reads and checks one upload: what the service needs to know of both sides, and their spectra on the reference axis.
 * Pure, and the same on every thread and machine. Order of checks: body, `reject_target`, rough side, polish side.
 */
import type { Limits } from '#config/limits';
import type { Model } from '#science/matching/model';
import { examineSide, parseRejectTarget } from '#science/matching/verdict';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { readScanFiles } from '#science/spectra/files';
import { readJsonClaim } from '#science/spectra/json';
import { printableName, Refusal, type Side, type Unused } from '#science/spectra/refusal';
import { prepareSide, type ScanSet, sampled } from '#science/spectra/scan-set';
import { sharedScans } from '#science/spectra/shared-scans';
import { type SidesOfNames, stonesOf, stoneTemplate } from '#science/spectra/stone-names';
import { budgetOf } from '#science/spectra/zip';
import type { PreparedUpload, Upload, UploadedSide, UploadFindings } from './upload.js';

/**
 * @param model checks the upload and decides
 * @param shadow another model that wants the spectra too
 * @param findings filled as the checks go on, so that the catcher of a refusal knows what could be read: of both sides,
 * whichever is at fault. The first fault is the one that is thrown.
 * @param goOn called between steps; throws where the answer is no longer wanted
 * @throws Refusal
 */
export async function prepareUpload(
  upload: Upload,
  model: Model,
  limits: Limits,
  findings: UploadFindings = {},
  shadow?: Model,
  goOn = () => {},
): Promise<PreparedUpload> {
  const { rejectTarget, read } = open(upload, limits, goOn);
  const faults: unknown[] = [];
  const attempt = async <T>(step: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await step();
    } catch (error) {
      faults.push(error);
      return undefined;
    }
  };
  const unused = upload.kind === 'files' ? [...upload.unused] : [];
  const names: Record<Side, string[]> = { rough: [], polish: [] };
  const side = (which: Side) =>
    attempt(async () => {
      const set = await read(which);
      unused.push(...(set.unused ?? []));
      goOn();
      names[which] = set.scans.flatMap(({ file }) => file ?? []);
      return prepareOne(set, { model, shadow, findings });
    });
  const target = await attempt(() => parseRejectTarget(rejectTarget));
  findings.rejectTarget = target;
  const rough = await side('rough');
  const polish = await side('polish');
  if (upload.kind === 'files') {
    const references = { ...referencesIn(names, upload.stoneTemplate), ...upload.stoneIds };
    for (const known of [findings.rough, rough?.side]) if (known) known.references = references.rough;
    for (const known of [findings.polish, polish?.side]) if (known) known.references = references.polish;
  }
  if (target === undefined || !rough || !polish) {
    for (const one of [rough, polish]) if (one) wipe(one.spectra, ...(one.forShadow ? [one.forShadow] : []));
    throw faults[0];
  }
  const shared = sharedScans(scansOf(rough.spectra), scansOf(polish.spectra));
  return {
    rejectTarget: target,
    rough: rough.side,
    polish: polish.side,
    sharedScans: shared,
    unused,
    spectra: joined(rough.spectra, polish.spectra),
    ...(rough.forShadow && polish.forShadow && { forShadow: joined(rough.forShadow, polish.forShadow) }),
  };
}

const referencesIn = (names: SidesOfNames, template?: string) =>
  stonesOf(names, template === undefined ? undefined : stoneTemplate(template));

/** Both sides in memory of their own; what they lay in is wiped. */
function joined(rough: Float32Array, polish: Float32Array): Float32Array<ArrayBuffer> {
  const spectra = new Float32Array(rough.length + polish.length);
  spectra.set(rough);
  spectra.set(polish, rough.length);
  wipe(rough, polish);
  return spectra;
}

function open(
  upload: Upload,
  limits: Limits,
  goOn: () => void,
): { rejectTarget: unknown; read(side: Side): ScanSet | Promise<ScanSet> } {
  if (upload.kind === 'files') {
    const budget = budgetOf(limits, goOn);
    return {
      rejectTarget: upload.rejectTarget,
      read(side) {
        if (upload[side].length === 0) throw missing(side, upload.unused);
        return readScanFiles(side, upload[side], limits, budget);
      },
    };
  }
  const claim = readJsonClaim(upload.body, limits);
  return { rejectTarget: claim.rejectTarget, read: (side) => claim.side(side) };
}

function missing(side: Side, unused: Unused[]): Refusal {
  const others = unused.length > 0 ? `, but ${unused.map(({ file }) => printableName(file)).join(', ')}` : '';
  const fix = `send scans as files in the field ${side}_files, which may be repeated`;
  return new Refusal('unparseable', { side, reason: `no file came in the field ${side}_files${others}`, fix });
}

interface Preparing {
  model: Model;
  shadow: Model | undefined;
  findings: UploadFindings;
}

async function prepareOne(set: ScanSet, { model, shadow, findings }: Preparing) {
  const found: Partial<UploadedSide> = { count: set.scans.length, references: set.references };
  findings[set.side] = found;
  try {
    const { sampling } = model.input;
    const prepared = prepareSide(set, sampling);
    const { digest, duplicates, shortCoverage, spectra } = prepared;
    Object.assign(found, { digest, duplicates, shortCoverage });
    const side = { ...examineSide(prepared, model, found), digest };
    if (!shadow) return { side, spectra };
    return {
      side,
      spectra,
      forShadow: shadow.input.sampling === sampling ? spectra.slice() : sampled(set.scans, shadow.input.sampling),
    };
  } finally {
    for (const scan of set.scans) wipe(scan.absorbance);
  }
}

const scansOf = (spectra: Float32Array) =>
  Array.from({ length: spectra.length / REFERENCE_POINTS }, (_, i) =>
    spectra.subarray(i * REFERENCE_POINTS, (i + 1) * REFERENCE_POINTS),
  );

const wipe = (...arrays: (Float32Array | Float64Array)[]) => {
  for (const array of arrays) array.fill(0);
};
