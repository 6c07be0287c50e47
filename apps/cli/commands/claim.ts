import type { Command } from 'commander';
import { ServiceError } from '#client';
import { InputError } from '../exit.js';
import { openClient } from '../open-client.js';
import { print } from '../print.js';

interface Options {
  url: string;
  keyFile: string;
  json?: boolean;
}

export function register(command: Command): void {
  command
    .argument('<claim-id>', 'as it was answered')
    .requiredOption('--url <url>', 'address of the service')
    .requiredOption('--key-file <file>', 'file that holds the API key of the claim')
    .option('--json', 'print the whole answer as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  mvs claim clm_00000000000000000000000000000000 --url https://match.example --key-file key.txt',
    )
    .action(show);
}

async function show(claimId: string, { url, keyFile, json }: Options): Promise<void> {
  const claim = await openClient(url, keyFile)
    .ownClaim(claimId)
    .catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404)
        throw new InputError(`this key has made no claim ${claimId}`);
      throw error;
    });
  if (json) return print(JSON.stringify(claim, undefined, 2));
  const { answer, label, review } = claim;
  print(`${claim.claim_id}  submitted ${claim.submitted_at}`);
  if (answer === null) print('no verdict was stored: send the claim again');
  else {
    const { verdict, action, fused_score: score, threshold, reject_target: rung, p_match_5050: p } = answer;
    print(`${verdict}  ${action}  score ${score} against ${threshold} at ${rung}, p ${p}`);
    const { rough, polish } = answer.stone_ids;
    print(`stones: rough ${rough.join(', ') || 'no reference'}; polish ${polish.join(', ') || 'no reference'}`);
    for (const warning of answer.warnings) print(`warning: ${warning}`);
  }
  print(label ? `label: ${label.expected}, ${label.at}` : 'no label');
  print(review ? `review: ${review.outcome ?? 'looked at, no outcome'}, ${review.at}` : 'no review');
}
