import { statSync } from 'node:fs';
import type { Config } from '../shared/platform/load-config.ts';
import type { Log } from '../shared/platform/log.ts';

/** Access of the group and of others; files may be readable by a group, as mounted secrets often are. */
const NOT_OWNER = 0o077;
const OTHERS = 0o007;
const PERMISSIONS = 0o777;

/** Warns about the data folder and files with credentials if other users of this machine have access to them. */
export function warnAboutLooseFiles({ dataFolder, credentialFiles }: Config, log: Pick<Log, 'warn'>): void {
  // The permissions of Windows are others.
  if (process.platform === 'win32') return;
  const check = (setting: string, path: string, refused: number, wanted: string): void => {
    const mode = modeOf(path);
    if ((mode & refused) === 0) return;
    log.warn(
      { setting, path, mode: (mode & PERMISSIONS).toString(8) },
      `other users of this machine have access to ${setting}: chmod ${wanted}`,
    );
  };
  if (dataFolder !== undefined) check('DATA_DIR', dataFolder, NOT_OWNER, '700');
  for (const [setting, file] of credentialFiles) check(setting, file, OTHERS, '600');
}

/** 0 for what does not exist: it is created for this user only. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}
