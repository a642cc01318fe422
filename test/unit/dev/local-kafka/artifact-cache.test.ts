import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureArtifact, isComplete } from '../../../../scripts/dev/local-kafka/artifact-cache.ts';

/** No process has this id, which is above the largest that Linux assigns. */
const DEAD_PID = 99_999_999;

describe('the cache of downloaded jars', () => {
  let cache: string;
  let fetches: number;
  const said: string[] = [];
  beforeEach(() => {
    cache = mkdtempSync(path.join(tmpdir(), 'cache-test-'));
    fetches = 0;
    said.length = 0;
  });
  afterEach(() => rmSync(cache, { recursive: true, force: true }));

  const artifact = {
    name: 'jars-1',
    fetchInto: async (folder: string) => {
      fetches += 1;
      await sleep(20);
      writeFileSync(path.join(folder, 'one.jar'), 'one');
    },
  };
  const ensure = () => ensureArtifact(cache, artifact, (line) => said.push(line));

  it('fetches once and leaves only the artifact', async () => {
    const folder = await ensure();
    expect(await ensure()).toBe(folder);
    expect(fetches).toBe(1);
    expect(readFileSync(path.join(folder, 'one.jar'), 'utf8')).toBe('one');
    expect(readdirSync(cache)).toEqual(['jars-1']);
  });

  it('lets one caller fetch while the others wait', async () => {
    const folders = await Promise.all([ensure(), ensure(), ensure()]);
    expect(new Set(folders).size).toBe(1);
    expect(fetches).toBe(1);
    expect(said.join()).toContain(`waiting for process ${process.pid}`);
  });

  it.each([
    ['cut short', (file: string) => writeFileSync(file, 'o')],
    ['missing', (file: string) => rmSync(file)],
  ])('fetches again when a file is %s', async (_what, damage) => {
    const folder = await ensure();
    damage(path.join(folder, 'one.jar'));
    expect(isComplete(folder)).toBe(false);
    await ensure();
    expect(fetches).toBe(2);
    expect(isComplete(folder)).toBe(true);
  });

  it('takes over the lock of a process that died while fetching', async () => {
    writeFileSync(path.join(cache, 'jars-1.lock'), String(DEAD_PID));
    expect(isComplete(await ensure())).toBe(true);
  });

  it('leaves no partial artifact when fetching fails', async () => {
    const failing = { name: 'jars-1', fetchInto: () => Promise.reject(new Error('no network')) };
    await expect(ensureArtifact(cache, failing, () => undefined)).rejects.toThrow('no network');
    expect(readdirSync(cache)).toEqual([]);
  });
});
