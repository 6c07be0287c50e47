/** `mvs` speaks of itself: help, suggestions, completion. */

import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { program } from '../../test/programs.js';
import { addCommands } from './commands.js';
import { mvs as runMvs } from './test/mvs.js';

const MAIN = program('mvs');
/** A folder with the program under its name, as `npm link` gives it. */
const path = mkdtempSync(join(tmpdir(), 'mvs-help-'));
writeFileSync(join(path, 'mvs'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
chmodSync(join(path, 'mvs'), 0o755);
afterAll(() => rmSync(path, { recursive: true }));

const run = (file: string, ...args: string[]) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const env = { ...process.env, PATH: `${path}:${process.env.PATH}` };
    execFile(file, args, { env }, (error, out, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, error: stderr }),
    );
  });
const mvs = (...args: string[]) => runMvs(args);
const named = (program: Command) => program.commands.map((command) => command.name());

describe('mvs', () => {
  it('loads the wanted command alone, and names all', async () => {
    const program = await addCommands(new Command('mvs'), (name) => name === 'audit');
    const loaded = program.commands.filter(({ commands, options }) => commands.length + options.length > 0);
    expect(named(program).length).toBeGreaterThan(15);
    expect(loaded.map((command) => command.name())).toEqual(['audit']);
  });

  it('has an example and --json on every command that answers', async () => {
    const program = await addCommands(new Command('mvs'), () => true);
    const leavesOf = (command: Command, path: string): [string, string][] =>
      command.commands.flatMap((one) => {
        const name = `${path}${one.name()}`;
        if (one.commands.length > 0 && name !== 'completion') return leavesOf(one, `${name} `);
        let help = '';
        one.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
        return [[name, help] as [string, string]];
      });
    const commands = leavesOf(program, '');
    const without = (holds: RegExp) => commands.filter(([, help]) => !holds.test(help)).map(([name]) => name);
    expect(commands.length).toBeGreaterThan(30);
    expect(without(/^Examples?:$/m)).toEqual([]);
    expect(without(/^ {2}--json /m)).toEqual(['json', 'completion']);
  });

  it.each([
    [['verfy'], '(Did you mean verify?)'],
    [['help', 'verfy'], '(Did you mean verify?)'],
    [['audit', 'verfy'], '(Did you mean verify?)'],
    [['inspect', '--jsn'], '(Did you mean --json?)'],
  ])('suggests what %j may have meant', async (args, suggestion) => {
    expect(await mvs(...args)).toEqual({ code: 3, out: '', error: expect.stringContaining(suggestion) });
  });

  it.each([
    [['verify', '--rough', 'gone.csv', '--polish', 'gone.csv']],
    [['inspect', 'gone.csv']],
    [['evaluate', 'gone']],
    [['adapt', '--pairs', 'gone']],
    [['audit', 'verify', 'gone.zip']],
    [['audit', 'export', 'lab-a', '--data', 'gone']],
    [['events', 'list', '--data', 'gone']],
    [['events', 'import', 'gone.ndjson']],
    [['views', 'dump', '--views', 'gone']],
    [['lots', 'enrol', 'gone', '--session-type', 'shaken', '--out', 'lot.json']],
    [['lots', 'check', 'gone.json', 'gone', '--session-type', 'shaken']],
    [['submit', 'gone', '--url', 'http://127.0.0.1:9', '--key-file', 'gone', '--out', 'answers.csv']],
    [['vendor', 'stone', '--csv', 'gone.csv', '--out', 'answers.csv']],
    [['train', '--pairs', 'gone', '--out', 'gone/model']],
    [['judge', 'gone']],
    [['calibrate', '--model', 'gone']],
    [['report', '--data', 'gone', '--part', 'real', '--out', 'gone/report']],
  ])('answers %j, where the file is missing, with one code', async (args) => {
    const { code, error } = await mvs(...args);
    expect({ code, error }).toEqual({
      code: args.join(' ') === 'audit verify gone.zip' ? 2 : 3,
      error: expect.stringMatching(/^mvs: .*gone/),
    });
  });
});

it.each([
  ['simulate', '--stones', '1', '--out', join(path, 'stones')],
  ['lots', 'simulate', '--stones', '10', '--scans', '3', '--session-type', 'table-up', '--out', join(path, 'lots')],
])('mvs %s %s answers in JSON', async (...args) => {
  const { code, out } = await mvs(...args, '--json');
  expect({ code, members: Object.keys(JSON.parse(out)).length }).toEqual({ code: 0, members: expect.any(Number) });
});

describe('mvs completion', () => {
  const words = async (...some: string[]) => (await mvs('completion', 'words', '--', ...some)).out.trim().split('\n');

  it('offers commands, subcommands, options and choices', async () => {
    expect(await words()).toEqual(expect.arrayContaining(['verify', 'events', '--help']));
    expect(await words('events')).toEqual(expect.arrayContaining(['verify', 'export']));
    expect(await words('verify')).toEqual(expect.arrayContaining(['--rough', '--reject-target', '--json']));
    expect(await words('simulate', '--format')).toEqual(expect.arrayContaining(['csv', 'opus']));
    // A file is wanted: the shell offers its own.
    expect(await words('verify', '--rough')).toEqual(['']);
  });

  it('completes in bash', async () => {
    const script = `source <(mvs completion bash); COMP_WORDS=(mvs events ver); COMP_CWORD=2; _mvs 2>/dev/null; echo "\${COMPREPLY[@]}"`;
    expect(await run('bash', '-c', script)).toMatchObject({ code: 0, out: 'verify\n' });
  });

  const zsh = spawnSync('zsh', ['--version']).status === 0 ? it : it.skip;
  zsh('loads in zsh', async () => {
    expect(await run('zsh', '-f', '-c', 'source <(mvs completion zsh) && whence -w _mvs')).toMatchObject({
      code: 0,
      out: '_mvs: function\n',
    });
  });

  it('prints a script for fish', async () => {
    expect((await mvs('completion', 'fish')).out).toContain('complete -c mvs');
  });
});
