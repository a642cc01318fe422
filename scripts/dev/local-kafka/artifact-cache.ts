import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalKafkaError } from './local-kafka-error.ts';

/** A folder `name` of the cache that `fetchInto` fills; it is called with an empty folder. */
export interface Artifact {
  readonly name: string;
  readonly fetchInto: (folder: string) => Promise<void>;
}

/** Contains the size of every file in bytes, and is written last: a folder without it or with other sizes is incomplete. */
const MANIFEST = '.complete.json';

/** Time limit for waiting while another process downloads over a slow connection. */
const LOCK_LIMIT_MS = 15 * 60_000;
const LOCK_POLL_MS = 300;

/**
 * The folder of downloaded jars, outside the checkout: KAFKA_CACHE_DIR, or below XDG_CACHE_HOME, or below ~/.cache.
 */
export function cacheDirectory(
  env: Readonly<Record<string, string | undefined>>,
  home: string = homedir(),
): string {
  if (isSet(env['KAFKA_CACHE_DIR'])) return path.resolve(env['KAFKA_CACHE_DIR']);
  const base = isSet(env['XDG_CACHE_HOME']) ? env['XDG_CACHE_HOME'] : path.join(home, '.cache');
  return path.join(base, 'banking-product-engine');
}

/**
 * Returns the folder of the artifact, and fetches it first unless it is complete. When several processes call this, one
 * fetches and the others wait; the folder is created by a single rename.
 */
export async function ensureArtifact(
  cacheFolder: string,
  artifact: Artifact,
  report: (line: string) => void,
): Promise<string> {
  const folder = path.join(cacheFolder, artifact.name);
  if (isComplete(folder)) return folder;
  mkdirSync(cacheFolder, { recursive: true });
  await withLock(
    `${folder}.lock`,
    (pid) => report(`waiting for process ${pid}, which is fetching ${artifact.name}`),
    async () => {
      if (!isComplete(folder)) await fetchArtifact(cacheFolder, folder, artifact);
    },
  );
  return folder;
}

async function fetchArtifact(cacheFolder: string, folder: string, artifact: Artifact): Promise<void> {
  const prefix = `.fetching-${artifact.name}-`;
  for (const left of readdirSync(cacheFolder).filter((name) => name.startsWith(prefix))) {
    rmSync(path.join(cacheFolder, left), { recursive: true, force: true });
  }
  const scratch = path.join(cacheFolder, `${prefix}${randomUUID()}`);
  mkdirSync(scratch);
  try {
    await artifact.fetchInto(scratch);
    writeFileSync(path.join(scratch, MANIFEST), JSON.stringify(measureFiles(scratch)));
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Whether every fetched file exists with its size. */
export function isComplete(folder: string): boolean {
  const manifest = path.join(folder, MANIFEST);
  if (!existsSync(manifest)) return false;
  try {
    const sizes = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, number>;
    return Object.entries(sizes).every(([name, bytes]) => statSync(path.join(folder, name)).size === bytes);
  } catch {
    return false;
  }
}

function measureFiles(folder: string): Record<string, number> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((file) => {
      const full = path.join(file.parentPath, file.name);
      return [path.relative(folder, full), statSync(full).size];
    }),
  );
}

/**
 * Runs `work` while holding a lock file with the id of this process. Takes over a lock whose process has ended. In a rare
 * race two processes may hold it, so `work` must end in an atomic rename.
 */
async function withLock<T>(
  file: string,
  onWait: (ownerPid: number) => void,
  work: () => Promise<T>,
): Promise<T> {
  const giveUpAt = Date.now() + LOCK_LIMIT_MS;
  for (let waits = 0; !tryLock(file); waits += 1) {
    const owner = readOwner(file);
    if (owner !== undefined && !isAlive(owner)) rmSync(file, { force: true });
    else if (Date.now() > giveUpAt) {
      throw new LocalKafkaError(
        'fetch-failed',
        `process ${owner} has been fetching for ${LOCK_LIMIT_MS / 60_000} min: stop it, or delete ${file}`,
      );
    } else {
      if (waits === 0 && owner !== undefined) onWait(owner);
      await sleep(LOCK_POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined if the owner has not written its id yet, or has just removed the file. */
function readOwner(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
