import { expect, it } from 'vitest';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { publishCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import { publishingBy } from '../../support/builders/notification-call.ts';
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
  const observed = publishingBy(broker, (publish) => (messages) => {
    keys.push(...messages.map(({ key, value }) => `${value === null ? '-' : ''}${String(key)}`));
    return publish(messages);
  });
  const valueOf = (code: string, at: number) =>
    productValue(code, { Id: guidOf(at + 1), Name: products[code] });
  const files = Object.keys(products).map((code, at) => [`products/${code}.json`, valueOf(code, at)]);
  const config = loadConfig({ CATALOGUE_FOLDER: createFolder(Object.fromEntries(files)) });
  await publishCatalogue(observed, codec, config);
  return keys;
}

it('a start publishes what has changed since the last one, and tombstones for what is gone', async () => {
  const world = await createCatalogueWorld();
  const products = { A: 'Same', B: 'Old' };
  expect(await keysPublished(world, products)).toEqual(['product/a/1', 'product/b/1']);
  expect(await keysPublished(world, products)).toEqual([]);
  const changed = { A: 'Same', B: 'New', C: 'Added' };
  expect(await keysPublished(world, changed)).toEqual(['product/b/1', 'product/c/1']);
  expect(await keysPublished(world, { A: 'Same' })).toEqual(['-product/b/1', '-product/c/1']);
});
