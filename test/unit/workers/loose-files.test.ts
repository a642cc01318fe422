import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { warnAboutLooseFiles } from '../../../workers/run-process.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

/** The warnings for a data folder and files of these modes. */
function warningsOf(folderMode: number, fileMode: number) {
  const folder = scratchFolder();
  const data = path.join(folder, 'data');
  mkdirSync(data);
  chmodSync(data, folderMode);
  const fileOf = (name: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, 's'.repeat(40));
    chmodSync(file, fileMode);
    return file;
  };
  const config = loadConfig({
    DATA_DIR: data,
    AUTH_JWT_SECRET_FILE: fileOf('token-secret'),
    RESULT_ID_SECRET_FILE: fileOf('result-secret'),
    NOTIFICATION_CONFIG_FILE: fileOf('providers.json'),
  });
  const warnings: string[] = [];
  warnAboutLooseFiles(config, {
    warn: (fields: unknown, text?: string) => warnings.push(`${JSON.stringify(fields)} ${text}`),
  });
  return warnings;
}

it.runIf(process.platform !== 'win32')(
  'warns about each folder and file to which other users have access',
  () => {
    expect(warningsOf(0o700, 0o600)).toEqual([]);
    expect(warningsOf(0o700, 0o640)).toEqual([]);
    const loose = [
      'DATA_DIR: chmod 700',
      'RESULT_ID_SECRET_FILE: chmod 600',
      'AUTH_JWT_SECRET_FILE: chmod 600',
      'NOTIFICATION_CONFIG_FILE: chmod 600',
    ];
    expect(warningsOf(0o755, 0o644)).toEqual(
      loose.map((text) => expect.stringMatching(new RegExp(`${text}$`)) as string),
    );
    expect(warningsOf(0o750, 0o600)).toHaveLength(1);
    expect(warningsOf(0o755, 0o644).join('')).not.toContain('sss');
  },
);

it('is silent about a data folder that does not exist yet', () => {
  const warnings: unknown[] = [];
  warnAboutLooseFiles(loadConfig({ DATA_DIR: path.join(scratchFolder(), 'absent') }), {
    warn: (...given: unknown[]) => warnings.push(given),
  });
  expect(warnings).toEqual([]);
});
