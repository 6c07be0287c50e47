import { execFileSync } from 'node:child_process';
import { program } from '../../test/programs.js';
import { shown } from './commands/json.js';
import { InputError } from './exit.js';

const MAIN = program('mvs');
const LISTING = { items: [{ name: 'a', status: 'active' }, { name: 'b' }], next_cursor: null };

describe('mvs json', () => {
  it.each([
    ['the whole', { a: 1, b: ['x'] }, [], "{ a: 1, b: [ 'x' ] }"],
    ['members in the order named', { a: 1, b: 2, c: 3 }, ['c', 'a'], '{ c: 3, a: 1 }'],
    ['those of each item of a list', [{ a: 1, b: 2 }, { a: 3 }], ['a'], '[ { a: 1 }, { a: 3 } ]'],
    ['those of each item of a listing', LISTING, ['name'], "[ { name: 'a' }, { name: 'b' } ]"],
    ["a listing's own member", { ...LISTING, audit_root: 'f0' }, ['audit_root'], "{ audit_root: 'f0' }"],
    ['nothing of what is not there', { a: 1 }, ['b'], '{}'],
    ['a value that has no members', null, ['a'], 'null'],
  ])('shows %s', (_, value, members, block) => {
    expect(shown(JSON.stringify(value), members)).toBe(block);
  });

  it.each([
    ['a text without quotes', { key: 'mvs_live_x' }, 'mvs_live_x'],
    ['a number', { key: 0.98 }, '0.98'],
    ['an object as JSON', { key: { a: [1] } }, '{"a":[1]}'],
  ])('prints %s bare', (_, value, printed) => {
    expect(shown(JSON.stringify(value), ['key'], true)).toBe(printed);
  });

  it.each([
    ['items.0.name', 'a'],
    ['next.of.it', '1'],
  ])('prints %s bare, a member of a member', (path, printed) => {
    expect(shown(JSON.stringify({ ...LISTING, next: { of: { it: 1 } } }), [path], true)).toBe(printed);
  });

  it.each([
    ['no JSON', 'curl: (7) failed', 'the standard input is no JSON: "curl: (7) failed"'],
    ['nothing', '', 'the standard input is no JSON: ""'],
    ['an answer without the member', '{"detail":"no"}', "the answer has no key: { detail: 'no' }"],
    ['a null member', '{"key":null}', 'the answer has no key: { key: null }'],
    ['a value that has no members', 'null', 'the answer has no key: null'],
  ])('refuses %s with a sentence', (_, text, sentence) => {
    expect(() => shown(text, ['key'], true)).toThrow(new InputError(sentence));
  });

  it('reads the standard input, for a shell variable', () => {
    expect(execFileSync(process.execPath, [MAIN, 'json', '--bare', 'key'], { input: '{"key":"k"}' }).toString()).toBe(
      'k\n',
    );
  });
});
