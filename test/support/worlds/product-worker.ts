import { systemClock } from '../../../shared/platform/system-ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { RunningWorker, StartWorker } from '../../../workers/runtime/worker.ts';
import type { OpenCatalogue } from '../../../shared/product/storage/catalogue-table.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { startProductWorker } from '../../../workers/product/main.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import { publishCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import { EXAMPLE_CATALOGUE } from '../builders/example-catalogue.ts';
import { startOn } from './ingress-system.ts';

const health = () => ({ status: 'ready' }) as const;
const openExamples: OpenCatalogue = async () => ({ view: EXAMPLE_CATALOGUE, health, stop: async () => {} });

/** Starts a product worker with the catalogue in memory instead of on its topic. */
export const startWithExamples: StartWorker = (context) => startProductWorker(context, openExamples);

/** Starts a simulation worker with the catalogue in memory. */
export const startSimulationWithExamples: StartWorker = (context) =>
  startSimulationWorker(context, openExamples);

/** Publishes the example catalogue to its topic, and starts a worker. */
export async function startOverLog(broker: Broker, start = startProductWorker): Promise<RunningWorker> {
  const config = loadConfig({});
  await publishCatalogue(broker, await createCodec(config, systemClock), config);
  return startOn(broker, start);
}
