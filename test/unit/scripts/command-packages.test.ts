import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { installOwnPackages } from '../../../scripts/command-packages.ts';

let folder = '';
const lines: string[] = [];
const report = (line: string): void => void lines.push(line);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'own-packages-'));
  writeFileSync(path.join(folder, 'package-lock.json'), '{}');
});
afterEach(() => {
  vi.unstubAllEnvs();
  lines.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces npm by a program that appends its arguments to `calls` and then runs `script` in the folder. */
function replaceNpm(script: string): void {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\necho "$@" >> calls\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`);
}

const INSTALL = 'mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json';

function calls(): string[] {
  return readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');
}

describe('installOwnPackages', () => {
  it('installs the packages once from the lock file without install scripts, and reports it', async () => {
    replaceNpm(INSTALL);
    await installOwnPackages(folder, report);
    await installOwnPackages(folder, report);
    expect(calls()).toEqual([expect.stringMatching(/^ci --prefix \S+ --ignore-scripts /)]);
    expect(lines).toEqual([
      expect.stringMatching(/^installing the packages of \S+ with npm ci \(once\)$/),
      expect.stringMatching(/^installed the packages of \S+ in [\d.]+ s$/),
    ]);
  });

  it('installs again when the lock file has changed', async () => {
    replaceNpm(INSTALL);
    await installOwnPackages(folder, report);
    writeFileSync(path.join(folder, 'package-lock.json'), '{"newer": true}');
    await installOwnPackages(folder, report);
    expect(calls()).toHaveLength(2);
  });

  it('rejects with the output of npm if it fails or installs nothing, and without npm', async () => {
    replaceNpm('echo "connection refused" >&2; exit 7');
    await expect(installOwnPackages(folder, report)).rejects.toMatchObject({
      code: 'packages-missing',
      message: expect.stringMatching(/could not be installed: npm ci exited with 7; .*\nconnection refused$/),
    });
    writeFileSync(path.join(folder, 'bin/npm'), '#!/bin/sh\n', { mode: 0o755 });
    await expect(installOwnPackages(folder, report)).rejects.toMatchObject({ code: 'packages-missing' });
    vi.stubEnv('PATH', folder);
    await expect(installOwnPackages(folder, report)).rejects.toThrow('npm is not installed');
  });
});
