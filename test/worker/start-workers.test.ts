import { expect, it } from 'vitest';
import { createEmbeddedBroker } from '../../shared/messaging/embedded/embedded-broker.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import type { StartWorker } from '../../workers/runtime/worker.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { sleep } from '../support/conformance/wait.ts';

it('stops the workers that have started when one of them fails', async () => {
  const stopped: string[] = [];
  const stop = async () => {
    stopped.push('schedule');
    await sleep(1);
  };
  const works: StartWorker = async () => {
    await sleep(20);
    return { name: 'schedule', health: () => ({ status: 'ready' }), stop };
  };
  const starting = startWorkers({
    config: loadConfig({ DATA_DIR: 'memory', LOG_LEVEL: 'silent' }),
    names: ['schedule', 'product'],
    log: silentLog,
    broker: createEmbeddedBroker(),
    starters: { schedule: works, product: () => Promise.reject(new Error('no catalogue')) },
  });
  await expect(starting).rejects.toThrow('no catalogue');
  expect(stopped).toEqual(['schedule']);
});
