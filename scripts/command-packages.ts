/** Packages that only one command needs are listed in the folder of that command and installed on its first use. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { SystemError } from '../shared/platform/errors.ts';
import { runProgram } from './command-line/run-program.ts';

const INSTALL_LIMIT_MS = 5 * 60_000;

/** Installs the folder's packages unless they are current. Rejects with SystemError `packages-missing` if npm fails. */
export async function installOwnPackages(folder: string, report: (line: string) => void): Promise<void> {
  if (isInstalled(folder)) return;
  const name = path.relative(process.cwd(), folder) || '.';
  report(`installing the packages of ${name} with npm ci (once)`);
  const startedAt = performance.now();
  // The npm that runs this command sets a prefix in the environment; --prefix overrides it.
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await runProgram('npm', args, { limitMs: INSTALL_LIMIT_MS, cwd: folder });
  if (code !== 0 || !isInstalled(folder)) {
    const fault = code === 'missing' ? 'npm is not installed' : `npm ci exited with ${code}`;
    throw new SystemError(
      'packages-missing',
      `the packages of ${name} could not be installed: ${fault}; check the network and the registry that npm uses` +
        (output.trim() === '' ? '' : `\n${output.trim()}`),
      { canRetry: false },
    );
  }
  report(`installed the packages of ${name} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/** npm writes node_modules/.package-lock.json last, so an interrupted installation does not have it. */
function isInstalled(folder: string): boolean {
  const record = statSync(path.join(folder, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  return record !== undefined && record.mtimeMs > statSync(path.join(folder, 'package-lock.json')).mtimeMs;
}
