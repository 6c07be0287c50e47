/** Pages of docs/ that say what the code says. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { SANDBOX_VARIABLES, VARIABLES, VENDOR_VARIABLES, VIEWS_VARIABLES } from '#config/environment';
import { limits } from '#config/limits';
import { FIXES } from '#kit/http/fixes';
import { ERRORS, type ErrorCode, PROBLEMS, RETRY_ADVICE } from '#kit/http/problem';
import { refusalPhrases, stoneRefusalPhrases } from '#science/spectra/refusal';
import { addCommands } from '../apps/cli/commands.js';
import { EXIT_CODES } from '../apps/cli/exit.js';

/** A line for each command: its first sentence, as `--help` prints the rest with options and examples. */
export async function commandsPage(): Promise<string> {
  const program = await addCommands(new Command('mvs'), () => true);
  return `# Commands

\`mvs COMMAND --help\` prints a command's options, with examples. Commands that answer take \`--json\`.

${table(
  ['exit code', 'meaning'],
  EXIT_CODES.map((meaning, code) => [String(code), meaning]),
)}

${table(['command', 'what it does'], commandsOf(program).map(rowOf))}
`;
}

/** Every command that does something but `help`, by its path. */
function commandsOf(command: Command, path = command.name()): [path: string, command: Command][] {
  const shown = command.createHelp().visibleCommands(command);
  return shown
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => {
      const name = `${path} ${one.name()}`;
      return one.commands.length > 0 ? commandsOf(one, name) : [[name, one] as [string, Command]];
    });
}

function rowOf([path, command]: [path: string, command: Command]): string[] {
  const given = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? ` <${name}>` : ` [${name}]`;
  });
  const [first] = command.description().split(/(?<=[.]) /);
  return [`\`${path}${given.join('')}\``, first.replaceAll('|', '\\|')];
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const whens: Record<string, readonly [number, string, string]> = PROBLEMS;
const of = (code: string) => {
  if (code in stoneRefusalPhrases) return 'About a lot’s or its return’s scans';
  return code in refusalPhrases ? 'About a claim’s scans or fields' : 'A claim or lot was not scored';
};

/** What all entries have in common is said once. */
const shared = (texts: string[]): string => (texts.length > 1 && new Set(texts).size === 1 ? texts[0] : '');

/** Refusals of one status: by when they come, each with its text and its fix. */
function refusalsOf(status: number): string {
  const own = Object.entries(ERRORS).filter(([, [at]]) => at === status);
  const fix = shared(own.map(([code]) => FIXES[code as ErrorCode]));
  /** A group's lines; a fix that all of them share stands before them. */
  const linesOf = (group: typeof own, title: string) => {
    const common = fix || shared(group.map(([code]) => FIXES[code as ErrorCode]));
    const lines = group.map(([code, [, text]]) => {
      const when = whens[code]?.[2];
      return `- \`${code}\`: “${text}”${when ? `: ${when}` : ''}.${common ? '' : ` ${FIXES[code as ErrorCode]}`}`;
    });
    const head = common && !fix ? `${title}. ${common}` : `${title}:`;
    return `${title === '' ? '' : `${head}\n\n`}${lines.join('\n')}`;
  };
  const unnamed = own.filter(([code]) => !whens[code]);
  const groups = [...new Set(unnamed.map(([code]) => of(code)))].map((when) => {
    return linesOf(
      unnamed.filter(([code]) => of(code) === when),
      when,
    );
  });
  const others = own.filter(([code]) => whens[code]);
  const parts = [
    fix,
    ...groups,
    others.length > 0 ? linesOf(others, groups.length > 0 ? 'About the request' : '') : '',
  ];
  return [`## ${status}`, ...parts.filter((part) => part !== '')].join('\n\n');
}

export const errors = `# Errors

Every refusal carries \`X-Request-Id\` and is

\`\`\`json
{"detail": "rough: no parseable spectra: ...", "code": "unparseable", "side": "rough", "file": "S1_1.csv", "docs": "/api/v1/docs#description/unparseable", "request_id": "..."}
\`\`\`

\`detail\` is for people; it begins or, for scans, contains the text quoted below. \`code\` is for programs and keeps its
meaning; new ones may be added. \`side\` and \`file\` are there where one is to blame. \`request_id\` is \`X-Request-Id\`: an
operator finds the call by it. \`docs\` leads to the code on the contract's page.

${RETRY_ADVICE}

Generated from the code: by status each code, its text, when it comes, and the fix.

${[...new Set(Object.values(ERRORS).map(([status]) => status))].sort().map(refusalsOf).join('\n\n')}
`;

const variables = (rows: { name: string; fallback: string; text: string }[]) =>
  rows
    .map(({ name, fallback, text }) => {
      const value = name === 'MVS_THREADS' || fallback === '' ? '' : ` (\`${fallback}\`)`;
      return `- \`${name}\`${value}: ${text}`;
    })
    .join('\n');

const bytes = (count: number) => `${count.toLocaleString('en-US')} bytes`;

export const configuration = `# Configuration

By environment, read once at start; what makes no sense or is unsafe does not start and says why. Any variable may be
given as a file: \`NAME_FILE\` holds its path. A name that begins with \`MVS_\` and that no program of the project reads stops the
start, with the nearest known name; \`mvs\` warns and goes on. All programs may share one environment. Defaults stand in
parentheses; a variable without one is unset. Generated from the code.

${variables(Object.values(VARIABLES))}

## The vendor's lookups

Read by \`mvs vendor\` alone; the service never calls the vendor.

${variables(Object.values(VENDOR_VARIABLES))}

Its stand-in, \`npm run vendor-sandbox\`:

${variables(Object.values(SANDBOX_VARIABLES))}

## A running service's operator

Read by \`mvs views skip\`.

${variables(Object.values(VIEWS_VARIABLES))}

## Bodies

The most that a body may hold. [Errors](errors.md) says what is answered beyond.

${table(
  ['body', 'at most'],
  [
    ['a claim', `\`${VARIABLES.maxBodyBytes.name}\` (${bytes(limits.claimBytes)} by default)`],
    [
      '`POST /api/v1/expected`',
      `${limits.labels.toLocaleString('en-US')} labels; ${bytes(limits.labelBytes)}, and no more than \`${VARIABLES.maxBodyBytes.name}\``,
    ],
    ['any other', `${bytes(limits.otherBytes)}, and no more than \`${VARIABLES.maxBodyBytes.name}\``],
    ['a form’s field that is no file', `${bytes(limits.fieldBytes)}; ${limits.fields} fields`],
    ['a side by JSON', `${limits.jsonSpectra} spectra`],
    ['the nesting of any JSON', `${limits.jsonDepth} levels`],
  ],
)}
`;

/** SHA-256 of the files of both verifiers, as `sha256sum -c` reads them in docs/audit. */
export function verifierSums(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^verify(\/.*)?[.](mjs|py)$/.test(name),
  );
  return files
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
    .join('');
}

/** The page with the digest of the list in it. */
export const withSums = (page: string, sums: string): string =>
  page.replace(/[0-9a-f]{64}(?= {2}SHA256SUMS)/, sha256(sums));

const sha256 = (of: string | Uint8Array): string => createHash('sha256').update(of).digest('hex');
