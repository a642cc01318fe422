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
import path from 'node:path';
import { withLock } from './cache-lock.ts';

/** One thing to fetch: the folder `name` of the cache, filled by `fetchInto` (called with an empty folder). */
export interface Artifact {
  readonly name: string;
  readonly fetchInto: (folder: string) => Promise<void>;
}

/** Written last: every file of the folder with its size in bytes. A folder without it, or not matching, is incomplete. */
const MANIFEST = '.complete.json';

/**
 * The artifact's folder in the cache, fetched first unless it is there whole. Safe against other processes doing the same:
 * one fetches, the others wait, and the folder appears by one rename.
 */
export async function ensureArtifact(
  cacheFolder: string,
  artifact: Artifact,
  say: (line: string) => void,
): Promise<string> {
  const folder = path.join(cacheFolder, artifact.name);
  if (isComplete(folder)) return folder;
  mkdirSync(cacheFolder, { recursive: true });
  await withLock(
    `${folder}.lock`,
    (pid) => say(`waiting for process ${pid}, which is fetching ${artifact.name}`),
    async () => {
      if (!isComplete(folder)) await fetchWhole(cacheFolder, folder, artifact);
    },
  );
  return folder;
}

async function fetchWhole(cacheFolder: string, folder: string, artifact: Artifact): Promise<void> {
  const prefix = `.fetching-${artifact.name}-`;
  for (const left of readdirSync(cacheFolder).filter((name) => name.startsWith(prefix))) {
    rmSync(path.join(cacheFolder, left), { recursive: true, force: true });
  }
  const scratch = path.join(cacheFolder, `${prefix}${randomUUID()}`);
  mkdirSync(scratch);
  try {
    await artifact.fetchInto(scratch);
    writeFileSync(path.join(scratch, MANIFEST), JSON.stringify(sizesOf(scratch)));
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Whether every file that was fetched is there with its size. */
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

function sizesOf(folder: string): Record<string, number> {
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
