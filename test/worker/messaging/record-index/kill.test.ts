import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openTestIndex } from '../../../support/record-index/test-index.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';
import { endWithThis } from '../../../support/worlds/engine-process.ts';

/** `INDEX_KILLS=1000` for a longer run. */
const KILLS = Number(process.env.INDEX_KILLS ?? 8);
const MAX_LIFE_MS = 400;
/** As indexing-process.ts. */
const KEYS = 5_000;
const PROGRAM = new URL('../../../support/record-index/indexing-process.ts', import.meta.url);

const openLeft = (folder: string) => openTestIndex({ folder, retentionMs: Infinity });

async function killAfter(folder: string, lifeMs: number): Promise<void> {
  const child = fork(PROGRAM, [folder], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  endWithThis(child);
  if (child.stdout !== null) await once(child.stdout, 'data');
  await sleep(lifeMs);
  child.kill('SIGKILL');
  await once(child, 'close');
}

it(
  'an index knows every record before its positions although its process is killed while it writes',
  { timeout: 30_000 + 3_000 * KILLS },
  async () => {
    const folder = scratchFolder();
    let position = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      await killAfter(folder, (MAX_LIFE_MS * (kill + 1)) / KILLS);
      const { index, find } = openLeft(folder);
      const reached = index.positions[0]?.offset ?? 0;
      expect(reached).toBeGreaterThanOrEqual(position);
      position = reached;
      const forgotten: number[] = [];
      for (let number = Math.max(0, position - KEYS); number < position; number += 1) {
        // Rows may be ahead of the positions, by whole rounds of the keys too; they never are behind.
        const found = Number(find(`key ${number % KEYS}`) ?? -1);
        if (found < number || found % KEYS !== number % KEYS) forgotten.push(number);
      }
      expect(forgotten).toEqual([]);
      index.close();
    }
    expect(position).toBeGreaterThan(KEYS);
  },
);
