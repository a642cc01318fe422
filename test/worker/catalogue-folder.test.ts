import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../shared/messaging/embedded/embedded-broker.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import {
  catalogueCodec,
  CATALOGUE_TOPIC,
  createFolder,
  productValue,
} from '../support/worlds/catalogue-world.ts';
import { CatalogueTable } from '../../shared/product/storage/catalogue-table.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';

const STOP_MS = 1_000;

async function keysAfterStart(broker: Broker, folder?: string): Promise<readonly string[]> {
  const config = loadConfig({ CATALOGUE_FOLDER: folder });
  const system = await startWorkers({ config, names: ['schedule'], log: silentLog, broker });
  onTestFinished(() => system.stop(STOP_MS));
  const own = { codec: catalogueCodec(), topic: CATALOGUE_TOPIC, log: silentLog, clientId: 'test' };
  const table = new CatalogueTable({ ...systemPorts, broker, ...own });
  await table.start();
  const keys = table.identities().map(({ key }) => key);
  await table.stop();
  return keys;
}

function embedded(): Broker {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  return broker;
}

it('the embedded broker starts with the example catalogue or a folder, but adds nothing to a topic with records', async () => {
  const keys = await keysAfterStart(embedded());
  expect(keys.length).toBeGreaterThan(10);
  expect(keys.some((key) => key.startsWith('product/'))).toBe(true);
  const broker = embedded();
  const folder = createFolder({ 'products/tl.json': productValue('TL') });
  expect(await keysAfterStart(broker, folder)).toEqual(['product/tl/1']);
  expect(await keysAfterStart(broker)).toEqual(['product/tl/1']);
});

it('an invalid folder prevents the start, with all its faults', async () => {
  const folder = createFolder({
    'products/tl.json': productValue('TL', { PaymentScheduleTypes: ['None'], Extra: 1 }),
    'products/two.json': productValue('TWO', { PaymentScheduleTypes: ['None'] }),
  });
  const started = keysAfterStart(embedded(), folder);
  await expect(started).rejects.toMatchObject({ code: 'invalid-configuration' });
  await expect(started).rejects.toThrow(/Extra[\s\S]*products\/two\.json: TWO: PaymentScheduleTypes/);
});
