import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import { readTopics } from '../../../support/conformance/read-topics.ts';
import { SCRATCH_ROOT } from '../../../support/scratch-root.ts';
import { endWithThis } from '../../../support/worlds/engine-process.ts';

/** `DISK_KILLS=1000` for a longer run. */
const KILLS = Number(process.env.DISK_KILLS ?? 16);
const TEST_LIMIT_MS = 30_000 + 5_000 * KILLS;
/** Longest life of a process after its first acknowledgement: several segments and compactions. */
const MAX_LIFE_MS = 120;
/** As publishing-process.ts. */
const TOMBSTONE_EVERY = 7;
const PROGRAM = new URL('../../../support/disk/publishing-process.ts', import.meta.url);

/** Processes are started ahead of their turn, since the start of Node takes longer than their life. */
function startPublishing(folder: string, first: number) {
  const child = fork(PROGRAM, [folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  endWithThis(child);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

async function killAtRandom({ child, output }: ReturnType<typeof startPublishing>, random: number) {
  child.send('go');
  while (!output().includes('\n')) {
    expect(child.exitCode).toBeNull();
    await sleep(1);
  }
  await sleep(random * MAX_LIFE_MS);
  child.kill('SIGKILL');
  await once(child, 'close');
  return output().split('\n').slice(0, -1);
}

type Stored = Awaited<ReturnType<typeof readFolder>>;

async function readFolder(folder: string) {
  const broker = createEmbeddedBroker({ dataFolder: folder });
  try {
    const table = new Map<string, string>();
    for (const { key, value } of await readTopics(broker, ['table'])) {
      if (value === null) table.delete(String(key));
      else table.set(String(key), String(value));
    }
    const offsets = await broker.admin.committed('g', ['t']);
    const committed = new Map(offsets.map(({ partition, offset }) => [partition, offset]));
    return { messages: await readTopics(broker, ['t']), table, committed };
  } finally {
    await broker.close();
  }
}

const numberOf = ({ value }: Pick<LogMessage, 'value'>): number => Number.parseInt(String(value), 10);

/** Both topics have the same latest message of each key, unless that one was not acknowledged. */
function checkTable(stored: Stored, acknowledged: ReadonlySet<number>): void {
  const newest = new Map<string, number>();
  for (const message of stored.messages) newest.set(String(message.key), numberOf(message));
  for (const [key, latest] of newest) {
    // A message of both topics that was not acknowledged may be in one of them only.
    const inTable = Number.parseInt(stored.table.get(key) ?? '0', 10);
    if (inTable === 0 && latest % TOMBSTONE_EVERY === 0) continue;
    expect(
      inTable === latest || !acknowledged.has(Math.max(inTable, latest)),
      `${key}: ${inTable}, ${latest}`,
    ).toBe(true);
  }
}

test(
  `loses no acknowledged message or commit in ${KILLS} kills at random points`,
  { timeout: TEST_LIMIT_MS },
  async () => {
    const folder = await mkdtemp(path.join(SCRATCH_ROOT, 'kills-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const acknowledged = new Set<number>();
    let next = startPublishing(folder, 0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const current = next;
      next = startPublishing(folder, (kill + 1) * 1_000_000);
      const lines = await killAtRandom(current, Math.random());
      const commits = new Map<number, number>();
      for (const line of lines) {
        const [kind, ...numbers] = line.split(' ');
        const [one = 0, other = 0] = numbers.map(Number);
        if (kind === 't') acknowledged.add(one);
        else commits.set(one, Math.max(commits.get(one) ?? 0, other));
      }
      const stored = await readFolder(folder);
      const found = new Set(stored.messages.map(numberOf));
      expect([...acknowledged].filter((number) => !found.has(number))).toEqual([]);
      expect(found.size).toBe(stored.messages.length);
      for (const [partition, offset] of commits) {
        expect(stored.committed.get(partition)).toBeGreaterThanOrEqual(offset);
      }
      checkTable(stored, acknowledged);
    }
    next.child.kill('SIGKILL');
    expect(acknowledged.size).toBeGreaterThan(KILLS);
  },
);
