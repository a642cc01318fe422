/** Checks of look-ups while the catalogue changes, over any broker. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import {
  writeRecords,
  type RecordChanges,
  type RecordTarget,
} from '../../../shared/product/storage/write-records.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { catalogueCodec, guidOf, productValue, recordOf } from './catalogue-world.ts';
import { lookUp, startLookUps, type TimedAnswer } from '../builders/look-up-call.ts';

/** Time limit until all look-ups use a change. */
const SEEN_WITHIN_MS = 1_000;
const STEP = { timeout: 15_000, interval: 20 };
const TRAFFIC_MS = 300;
const CODE = 'CHANGING';
const OLD = 'The old version';
const NEW = 'The new version';
const ENDED = { Name: OLD, EndDate: '2023-12-31' };
const FOLLOWING = { Name: NEW, Version: 2, Id: guidOf(2), StartDate: '2024-01-01' };

/** A running system: its base URL, and a function that writes to its catalogue topic. */
export interface ChangingCatalogue {
  readonly url: string;
  readonly change: (changes: Partial<RecordChanges>) => Promise<void>;
}

export function changesOf(broker: Broker, topic: string): ChangingCatalogue['change'] {
  const target: RecordTarget = { broker, topic, codec: catalogueCodec(), clientId: 'catalogue-changes' };
  return (changes) => writeRecords(target, { put: [], remove: [], ...changes });
}

const product = (fields: object) => recordOf('product', productValue(CODE, fields));

/**
 * Replaces a version by a second one during continuous look-ups. Every look-up finds one of the two; after one second,
 * all find the new one.
 */
export async function expectSeamlessUpdate({ url, change }: ChangingCatalogue): Promise<void> {
  expect(await lookUp(url, CODE)).toMatchObject({ status: 404 });
  await change({ put: [product({ Name: OLD })] });
  await expect.poll(() => lookUp(url, CODE), STEP).toEqual({ status: 200, name: OLD });

  const traffic = startLookUps(url, CODE);
  onTestFinished(async () => void (await traffic.stop()));
  await sleep(TRAFFIC_MS);
  await expect.poll(() => traffic.answers().some(({ name }) => name === OLD), STEP).toBe(true);
  await change({ put: [product(ENDED), product(FOLLOWING)] });
  const changedAt = performance.now();
  const isLate = ({ askedAt }: TimedAnswer): boolean => askedAt > changedAt + SEEN_WITHIN_MS;
  await sleep(SEEN_WITHIN_MS + TRAFFIC_MS);
  await expect.poll(() => traffic.answers().some(isLate), STEP).toBe(true);
  const answers = await traffic.stop();
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ name }) => name))).toEqual(new Set([OLD, NEW]));
  const late = answers.filter(isLate);
  expect(late.length).toBeGreaterThan(0);
  expect(new Set(late.map(({ name }) => name))).toEqual(new Set([NEW]));
}

/** Checks that a restarted worker finds the new version in its first look-up. */
export async function expectNewVersion({ url }: ChangingCatalogue): Promise<void> {
  expect(await lookUp(url, CODE)).toEqual({ status: 200, name: NEW });
}

/** Deletes the new version: look-ups no longer find it, but still find other products. */
export async function expectDeletion({ url, change }: ChangingCatalogue, other: string): Promise<void> {
  await change({ remove: [`product/${CODE.toLowerCase()}/2`] });
  await expect.poll(async () => (await lookUp(url, CODE)).status, STEP).toBe(404);
  expect(await lookUp(url, other)).toMatchObject({ status: 200 });
}
