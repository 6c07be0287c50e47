import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import { escapeControls } from '#science/spectra/refusal';
import { InputError, UsageError } from '../exit.js';
import { io } from '../io.js';

const ESCAPE = '\u001b';

export function register(command: Command): void {
  command
    .argument('[member...]', 'members to show; of a list, those of each item')
    .option('--bare', 'print the value of the one member named, for a shell variable; a.0.b is b of the first a')
    .addHelpText(
      'after',
      `
Examples:
  curl -sS $URL/api/v1 | mvs json version engine
  key=$(curl -sS ... $URL/api/v1/keys | mvs json --bare key)
  claim=$(curl -sS ... $URL/api/v1/claims | mvs json --bare items.0.claim_id)`,
    )
    .action(show);
}

async function show(members: string[], { bare }: { bare?: boolean }): Promise<void> {
  if (bare && members.length !== 1) throw new UsageError('--bare prints one member: name it');
  // Escapes left here are colours: inspect writes those of the text as \\x1b.
  const { stdin, stdout } = io();
  const lines = shown(await text(stdin), members, bare).split(ESCAPE);
  stdout.write(`${lines.map(escapeControls).join(ESCAPE)}\n`);
}

/** @throws InputError where the text is no JSON, or a bare member is not there */
export function shown(given: string, members: string[], bare = false): string {
  const value = parsed(given);
  if (!bare) return block(members.length > 0 ? only(members, value) : value);
  const found = memberOf(value, members[0]) ?? members[0].split('.').reduce(memberOf, value);
  if (found === undefined || found === null) throw new InputError(`the answer has no ${members[0]}: ${block(value)}`);
  return typeof found === 'string' ? found : JSON.stringify(found);
}

const memberOf = (of: unknown, name: string): unknown => (of as Record<string, unknown> | null | undefined)?.[name];

function parsed(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    throw new InputError(`the standard input is no JSON: ${JSON.stringify(given.slice(0, 100))}`);
  }
}

/** The members by the names given, in their order; of a list, or of the items of a listing that has none of them, those of each. */
function only(members: string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => only(members, item));
  if (typeof value !== 'object' || value === null) return value;
  const { items } = value as { items?: unknown };
  if (Array.isArray(items) && !members.some((name) => name in value)) return only(members, items);
  return Object.fromEntries(
    members.flatMap((name) => (name in value ? [[name, value[name as keyof typeof value]]] : [])),
  );
}

const block = (value: unknown): string =>
  inspect(value, { depth: 8, colors: process.stdout.isTTY === true, breakLength: 100, maxArrayLength: 50 });
