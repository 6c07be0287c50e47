// Written from the package's README alone: sends the pairs of a folder, labels them, and says what to do about each error.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  Aborted,
  Authentication,
  BadInput,
  Conflict,
  ConnectionFailed,
  decide,
  InvalidRequest,
  MatchVerification,
  NotFound,
  PermissionDenied,
  RateLimited,
  ServiceFault,
  Timeout,
  Unavailable,
  UnexpectedAnswer,
} from '@match-verification/client';

const [folder] = process.argv.slice(2);
const attempts = [];
const service = new MatchVerification({
  baseUrl: process.env.MATCH_URL,
  apiKey: process.env.MATCH_API_KEY,
  timeout: Number(process.env.TIMEOUT ?? 30_000),
  maxRetries: Number(process.env.RETRIES ?? 3),
  onRequest: ({ method, url, attempt }) => attempts.push(`${method} ${new URL(url).pathname} ${attempt}`),
});
console.log(service);

const advice = [
  [Authentication, 'ask for a key'],
  [PermissionDenied, 'ask for the right'],
  [NotFound, 'look again'],
  [Conflict, 'look again'],
  [RateLimited, 'send less'],
  [Unavailable, 'try later'],
  [ServiceFault, 'report it'],
  [InvalidRequest, 'mend the request'],
  [Timeout, 'check the network: slow'],
  [ConnectionFailed, 'check the network'],
  [UnexpectedAnswer, 'check the address'],
  [Aborted, 'stopped'],
  [BadInput, 'mend the call'],
];
const told = (error) => {
  const [, what] = advice.find(([kind]) => error instanceof kind) ?? [];
  if (what === undefined) throw error;
  return { error: error.name, what, code: error.code, request: error.requestId };
};

const names = readdirSync(folder).sort();
const stones = [...new Set(names.map((name) => name.split('_')[0]))];
const of = (stone, side) =>
  names.filter((name) => name.startsWith(`${stone}_${side}`)).map((name) => join(folder, name));
const labels = [];
for (const stone of stones) {
  try {
    const result = await service.verify({ rough: of(stone, 'rough'), polish: of(stone, 'polish') });
    labels.push({ claim_id: result.claim_id, expected: 'match' });
    console.log(JSON.stringify({ stone, verdict: result.verdict, action: decide(result).action }));
  } catch (error) {
    console.log(JSON.stringify({ stone, ...told(error) }));
  }
}
try {
  for await (const { counts } of service.label(labels)) console.log(JSON.stringify({ labels: counts }));
} catch (error) {
  console.log(JSON.stringify({ stone: 'labels', ...told(error) }));
}
console.log(JSON.stringify({ attempts: attempts.length }));
