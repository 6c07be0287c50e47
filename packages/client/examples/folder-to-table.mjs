// From a folder of scan files to a table of verdicts, with labels where the truth is known.
//
// Files: <stone>_rough_<n>.<ext> and <stone>_polish_<n>.<ext> (OPUS .0, .dpt, .csv, .txt).
// MATCH_URL=http://127.0.0.1:3000 MATCH_API_KEY=mvs_live_... node folder-to-table.mjs FOLDER [TRUTH.csv] > verdicts.csv
// TRUTH.csv has two columns, stone and expected (match or no_match), under a line that says so.
//
// A refused claim is a row with its reason. The run ends where going on makes no sense: a key that is refused, a fault of
// the service, a service that stays away after all attempts. Run it again to go on: the same claim has the same claim_id.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as mv from '@match-verification/client';

const [folder, truth] = process.argv.slice(2);
const quoted = (cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
const row = (...cells) => console.log(cells.map(quoted).join(','));

const claims = new Map();
for (const name of readdirSync(folder).sort()) {
  const [, stone, side] = /^(.+)_(rough|polish)_\d+[.][^.]+$/.exec(name) ?? [];
  if (!stone) continue;
  if (!claims.has(stone)) claims.set(stone, { rough: [], polish: [] });
  claims.get(stone)[side].push(join(folder, name));
}

const { MATCH_URL: baseUrl, MATCH_API_KEY: apiKey } = process.env;
let upload = '';
const service = new mv.MatchVerification({
  baseUrl,
  apiKey,
  onUpload: (sent, total) => {
    upload = `${Math.round((100 * sent) / total)} % sent`;
  },
});
const claimIds = new Map();
row('stone', 'verdict', 'action', 'fused_score', 'threshold', 'p_match_5050', 'warnings', 'claim_id');
try {
  let done = 0;
  for (const [stone, sides] of claims) {
    try {
      const result = await service.verify(sides);
      claimIds.set(stone, result.claim_id);
      const scores = [result.fused_score, result.threshold, result.p_match_5050].map((score) => score.toFixed(4));
      row(stone, result.verdict, mv.decide(result).action, ...scores, result.warnings.join(' | '), result.claim_id);
    } catch (error) {
      // The scans are to be mended: which, and how, is in the sentence.
      if (!(error instanceof mv.InvalidRequest || error instanceof mv.BadInput)) throw error;
      row(stone, 'REFUSED', 'mend', '', '', '', `${error.code ?? 'not sent'}: ${error.message}`, '');
    }
    console.error(`${++done}/${claims.size} ${stone} ${upload}`);
  }
  const known = truth ? readFileSync(truth, 'utf8').trim().split(/\r?\n/).slice(1) : [];
  const labels = known
    .map((line) => line.split(','))
    .filter(([stone]) => claimIds.has(stone))
    .map(([stone, expected]) => ({ claim_id: claimIds.get(stone), expected }));
  for await (const { counts } of service.label(labels)) console.error('labels:', counts);
} catch (error) {
  console.error(adviceOn(error));
  process.exitCode = 1;
}

function adviceOn(error) {
  if (error instanceof mv.Authentication || error instanceof mv.PermissionDenied)
    return `the key is refused: ${error.detail} Ask the operator for another one.`;
  if (error instanceof mv.ServiceFault) return `a fault of the service: report request ${error.requestId}`;
  if (error instanceof mv.RateLimited || error instanceof mv.Unavailable || error instanceof mv.ConnectionFailed)
    return `the service is away or busy, and stayed so: ${error.message}. Run it again to go on.`;
  return `${error.name}: ${error.message}`;
}
