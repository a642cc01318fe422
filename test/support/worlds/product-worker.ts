/** Starts workers with the example catalogue. */

import { systemClock } from '../../../shared/platform/system-ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import type { RunningWorker, StartWorker } from '../../../workers/runtime/worker.ts';
import type { OpenCatalogue } from '../../../shared/product/storage/catalogue-table.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { startProductWorker } from '../../../workers/product/main.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import { publishCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import { EXAMPLE_CATALOGUE, EXAMPLE_TIME_MS } from '../builders/example-catalogue.ts';
import { createLogCaller } from '../log-caller.ts';
import { createSharedBroker, startOn } from './ingress-system.ts';

const openExamples: OpenCatalogue = () =>
  Promise.resolve({
    view: EXAMPLE_CATALOGUE,
    health: () => ({ status: 'ready' }),
    stop: () => Promise.resolve(),
  });

/** Starts a product worker with the catalogue in memory instead of on its topic. */
export const startWithExamples: StartWorker = (context) => startProductWorker(context, openExamples);

/** Starts a simulation worker with the catalogue in memory. */
export const startSimulationWithExamples: StartWorker = (context) =>
  startSimulationWorker(context, openExamples);

/** Publishes the example catalogue to its topic, and starts a product worker. */
export async function startOverLog(broker: Broker): Promise<RunningWorker> {
  const config = loadConfig({});
  await publishCatalogue(broker, await createCodec(config, systemClock), config);
  return startOn(broker, startProductWorker);
}

/** Starts a worker; returns a function that sends it a record and waits for the reply. */
export async function startCaller(start: StartWorker, topic: string) {
  const broker = await createSharedBroker(2);
  await startOn(broker, start);
  const send = await createLogCaller(broker);
  return (value: Buffer, headers: MessageHeaders, timestampMs = EXAMPLE_TIME_MS) =>
    send({ topic, value, headers, timestampMs });
}

export const jsonOf = (body: object) => Buffer.from(JSON.stringify(body));
export const bodyOf = (reply: LogMessage) => JSON.parse(reply.value?.toString('utf8') ?? '') as unknown;
