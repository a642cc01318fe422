import { expect, it } from 'vitest';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startProductWorker } from '../../../workers/product/main.ts';
import {
  changesOf,
  expectDeletion,
  expectNewVersion,
  expectSeamlessUpdate,
} from '../../support/worlds/catalogue-changes.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { startOverLog } from '../../support/worlds/product-worker.ts';

const STOP_MS = 5_000;

it('look-ups follow the topic without a gap, also after a restart, and no longer find deleted records', async () => {
  const broker = await createSharedBroker(1);
  const first = await startOverLog(broker);
  const { url } = await startOn(broker, startIngressWorker);
  const world = { url, change: changesOf(broker, TOPIC.catalogueRecords) };
  await expectSeamlessUpdate(world);
  await first.stop(STOP_MS);
  const second = await startOn(broker, startProductWorker);
  await expectNewVersion(world);
  await expectDeletion(world, 'TL-PERSONAL');
  expect(second.health()).toEqual({ status: 'ready' });
});
