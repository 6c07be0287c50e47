/** The clients as an integrator gets them: packed, and installed into an empty folder. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, seen from the build. */
export let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(`${root}/package-lock.json`)) root = dirname(root);

/** @returns an empty project with the npm package, in a folder that is there */
export function installPackage(folder: string): string {
  const project = join(folder, 'project');
  mkdirSync(project);
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: join(root, 'packages/client'),
    encoding: 'utf8',
  }).trim();
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', type: 'module', private: true }));
  execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', join(folder, packed)], {
    cwd: project,
    stdio: 'ignore',
  });
  return project;
}

/** Debian's, as its pip works without a network. */
export const python = '/usr/bin/python3';

/** Asked of Python: some tenths of a second, which no other test pays. */
export const pipIsHere = () => {
  try {
    execFileSync(python, ['-c', 'import setuptools, wheel, pip'], { stdio: 'ignore' });
    return true;
  } catch {
    return process.env.MVS_REQUIRE_SERVICES === '1';
  }
};

/** Builds a wheel of the Python package and installs it. @returns the folder for PYTHONPATH */
export function installWheel(folder: string): string {
  const [source, wheels, target] = ['python-source', 'wheels', 'python'].map((name) => join(folder, name));
  // A copy, as pip builds in the folder it is given.
  cpSync(join(root, 'clients/python'), source, { recursive: true });
  const offline = ['--quiet', '--no-index', '--no-deps'];
  const pip = (...args: string[]) => execFileSync(python, ['-m', 'pip', ...args], { stdio: 'ignore' });
  pip('wheel', ...offline, '--no-build-isolation', '--wheel-dir', wheels, source);
  pip('install', ...offline, '--find-links', wheels, '--target', target, 'match-verification');
  return target;
}
