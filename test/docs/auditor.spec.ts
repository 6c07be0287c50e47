/** The commands of docs/audit/auditor.md on a population that has approvals. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { POPULATION, writeLog } from '#audit/test/population';
import { blocksOf, pattern, runBlocks } from './shell.js';

const directory = mkdtempSync(join(tmpdir(), 'mvs-auditor-'));
beforeAll(() => writeLog(directory));
afterAll(() => rmSync(directory, { recursive: true }));

/** Debian's, for which numpy is a package. */
const PYTHON = '/usr/bin/python3';
const numpyIsHere = spawnSync(PYTHON, ['-c', 'import numpy']).status === 0;

(numpyIsHere || process.env.MVS_REQUIRE_SERVICES === '1' ? it : it.skip)(
  'print what stands there (needs python3 with numpy)',
  async () => {
    const blocks = blocksOf('docs/audit/auditor.md');
    expect(blocks.map(({ printed }) => printed === undefined)).toEqual([false, false, false]);
    const commands = blocks.map((block) =>
      block.commands.replace('export lab-a', `export '${POPULATION}'`).replace('python3', PYTHON),
    );
    const [exported] = await runBlocks('sh', commands.slice(0, 1), { address: '', directory });
    const key = /^Signed by ([0-9a-f]{64})$/m.exec(exported)![1];
    const verifying = commands.slice(1).map((command) => command.replace('PUBLIC-KEY', key));
    expect(verifying.filter((command) => command.includes(`--key ${key}`))).toHaveLength(2);
    const parts = [exported, ...(await runBlocks('sh', verifying, { address: '', directory }))];
    for (const [i, { printed }] of blocks.entries()) expect(parts[i]).toMatch(pattern(printed!));
  },
);
