/**
 * Packages that a single command needs. They are kept out of the installation of the project: the command has a
 * package.json and a package-lock.json in its own folder, and installs what these name when it is first used.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SystemError } from '../shared/platform/errors.ts';
import { runCommand } from './dev/local-kafka/run-command.ts';

/** A slow network takes a minute or two for the largest of them; npm itself would repeat its requests for longer. */
const INSTALL_LIMIT_MS = 5 * 60_000;

interface LockFile {
  /** By their place under the folder; the folder itself is ''. */
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

/**
 * Installs the packages of `folder` as its lock file names them; does nothing where they are installed already. `say` gets
 * one line before npm is started and one after. Rejects with `packages-missing` when npm fails, with what npm printed.
 */
export async function installOwnPackages(folder: string, say: (line: string) => void): Promise<void> {
  if (isInstalled(folder)) return;
  const name = path.relative(process.cwd(), folder) || '.';
  say(`installing the packages of ${name} with npm ci (once)`);
  const startedAt = performance.now();
  /** The prefix of an npm that runs this command is passed on by the environment: the option overrides it. */
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await runCommand('npm', args, { limitMs: INSTALL_LIMIT_MS, cwd: folder });
  if (code !== 0 || !isInstalled(folder)) {
    const fault = code === 'missing' ? 'there is no npm on this machine' : `npm ci ended with ${code}`;
    throw new SystemError(
      'packages-missing',
      `the packages of ${name} could not be installed: ${fault}; check the network and the registry that npm uses` +
        (output.trim() === '' ? '' : `\n${output.trim()}`),
      { canRetry: false },
    );
  }
  say(`installed the packages of ${name} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/** npm writes its own lock file into node_modules last, so that an interrupted installation has none. */
function isInstalled(folder: string): boolean {
  const record = path.join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const { packages: installed } = readLockFile(record);
  const { packages: wanted } = readLockFile(path.join(folder, 'package-lock.json'));
  return Object.entries(wanted)
    .filter(([place]) => place !== '')
    .every(([place, { integrity }]) => installed[place]?.integrity === integrity);
}

function readLockFile(file: string): LockFile {
  return JSON.parse(readFileSync(file, 'utf8')) as LockFile;
}
