// Two barcodes to stones, a claim from files, the decision, a label. Paths, addresses and keys come from the environment.
import { decide, MatchVerification } from '@match-verification/client';

const { VENDOR_URL, VENDOR_KEY, MATCH_URL, MATCH_API_KEY, ROUGH_FILES, POLISH_FILES } = process.env;

async function stoneOf(barcode) {
  const headers = { 'secret-key': VENDOR_KEY, accept: 'application/json', 'content-type': 'application/json' };
  const answer = await (await fetch(`${VENDOR_URL}?barcode=${encodeURIComponent(barcode)}`, { headers })).json();
  if (!answer.stoneId) throw new Error(`barcode ${barcode}: ${answer.error ?? 'no stoneId in the answer'}`);
  return answer.stoneId;
}

const [rough, polish] = [await stoneOf('100001'), await stoneOf('100002')];
const service = new MatchVerification({ baseUrl: MATCH_URL, apiKey: MATCH_API_KEY });
const result = await service.verify({ rough: ROUGH_FILES.split(','), polish: POLISH_FILES.split(',') });
const { action, p_real } = decide(result, { prior: 0.95 });
console.log(`${polish} from ${rough}: ${result.verdict}, ${action}, p_real ${p_real.toFixed(3)}`);
const label = { claim_id: result.claim_id, expected: 'match', stone_id: polish };
for await (const { counts } of service.label([label])) console.log(`labels: ${JSON.stringify(counts)}`);
