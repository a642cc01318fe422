import { expect, it } from 'vitest';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { publishCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import {
  type CatalogueWorld,
  createCatalogueWorld,
  createFolder,
  guidOf,
  productValue,
} from '../../support/worlds/catalogue-world.ts';

/** Publishes products with these codes and names; returns the keys that are written, tombstones with a minus. */
async function keysPublished({ broker, codec }: CatalogueWorld, products: Readonly<Record<string, string>>) {
  const keys: string[] = [];
  const observed: Broker = {
    ...broker,
    createPublisher: (options) => {
      const publisher = broker.createPublisher(options);
      const publish: typeof publisher.publish = (messages) => {
        keys.push(...messages.map(({ key, value }) => `${value === null ? '-' : ''}${String(key)}`));
        return publisher.publish(messages);
      };
      return {
        start: () => publisher.start(),
        publish,
        stop: (timeoutMs) => publisher.stop(timeoutMs),
        isHealthy: () => publisher.isHealthy(),
      };
    },
  };
  const files = Object.entries(products).map(([code, Name], index) => [
    `products/${code}.json`,
    productValue(code, { Id: guidOf(index + 1), Name }),
  ]);
  const config = loadConfig({ CATALOGUE_FOLDER: createFolder(Object.fromEntries(files)) });
  await publishCatalogue(observed, codec, config);
  return keys;
}

it('a start publishes what has changed since the last one, and tombstones for what is gone', async () => {
  const world = await createCatalogueWorld();
  const products = { A: 'Same', B: 'Old' };
  expect(await keysPublished(world, products)).toEqual(['product/a/1', 'product/b/1']);
  expect(await keysPublished(world, products)).toEqual([]);
  expect(await keysPublished(world, { A: 'Same', B: 'New', C: 'Added' })).toEqual([
    'product/b/1',
    'product/c/1',
  ]);
  expect(await keysPublished(world, { A: 'Same' })).toEqual(['-product/b/1', '-product/c/1']);
});
