import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';

/** A start takes many times longer if everything starts on one machine while a broker is down. */
export const SOAK_READY_LIMIT_MS = 90_000;

/** Processes of the same kind that are killed and replaced. */
export interface WorkerPool {
  /** Kills the oldest process with SIGKILL and starts a replacement; resolves when that is ready. */
  replaceOne(): Promise<void>;
  /** Unexpected exits, each of them a failure. */
  crashes(): readonly string[];
  /** Stops all processes with SIGTERM; resolves with their exit codes. */
  stop(): Promise<readonly (number | NodeJS.Signals)[]>;
  /** Kills all processes immediately. */
  abandon(): Promise<void>;
}

/** Starts `size` worker processes and resolves when all are ready. */
export async function startWorkerPool(
  size: number,
  workers: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<WorkerPool> {
  const crashes: string[] = [];
  const members: EngineProcess[] = [];
  const asked = new Set<EngineProcess>();
  let isOver = false;
  const add = async (): Promise<void> => {
    const member = await startEngine(workers, env, SOAK_READY_LIMIT_MS);
    if (isOver) {
      await end(member, 'SIGKILL');
      return;
    }
    members.push(member);
    member.child.once('exit', (code, signal) => {
      if (!asked.has(member)) crashes.push(`${code ?? signal}: ${member.stderr().slice(-2_000)}`);
    });
  };
  const end = (member: EngineProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals> => {
    asked.add(member);
    return member.end(signal);
  };
  const endAll = (signal: NodeJS.Signals): Promise<(number | NodeJS.Signals)[]> => {
    isOver = true;
    return Promise.all(members.splice(0).map((member) => end(member, signal)));
  };
  const starts = await Promise.allSettled(Array.from({ length: size }, add));
  for (const start of starts) {
    if (start.status === 'fulfilled') continue;
    await endAll('SIGKILL');
    throw start.reason;
  }
  return {
    replaceOne: async () => {
      const oldest = members.shift();
      if (oldest === undefined) throw new Error('the pool has no process');
      await end(oldest, 'SIGKILL');
      await add();
    },
    crashes: () => crashes,
    stop: () => endAll('SIGTERM'),
    abandon: async () => {
      await endAll('SIGKILL');
    },
  };
}
