import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** For small folders whose files are synced often: in memory where the system has such a folder. */
export const SCRATCH_ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
