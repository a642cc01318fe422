import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../shared/messaging/embedded/embedded-broker.ts';
import { TOPIC } from '../../shared/messaging/topics/topic-list.ts';
import { createMetrics } from '../../shared/platform/metrics.ts';
import {
  ENGINE_URL,
  findAccessibilityFaults,
  findFaultsInLooks,
  useBrowser,
} from '../support/browser/workbench-page.ts';
import { openTestIngress } from '../support/worlds/ingress-fixture.ts';

const SYSTEM_PATH = '/workbench/system';
/** The page asks every two seconds. */
const QUIET_MS = 5_000;
const openPage = useBrowser();

const openSystem = (url: string) => openPage(url + SYSTEM_PATH);

const isShown = (page: Page) => page.getByText(/^Observed at/).waitFor();

const setHidden = (isHidden: boolean) =>
  `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`;

async function openTroubledIngress(): Promise<string> {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(Object.values(TOPIC).map((topic) => ({ topic, partitions: 12 })));
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  const waiting = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 5, 5, 9];
  const message = { key: null, value: Buffer.from('{}') };
  for (const [topic, scale] of [
    [TOPIC.scheduleRequests, 1],
    [TOPIC.smsCommands, 20],
  ] as const) {
    const records = waiting.flatMap((partition) =>
      Array.from({ length: scale * partition }, () => ({ ...message, topic, partition })),
    );
    await publisher.publish(records);
  }
  const metrics = createMetrics();
  metrics.gauge('plat_notification_provider_open').set({ channel: 'sms', provider: 'main' }, 1);
  const { url } = await openTestIngress({
    broker,
    metrics,
    otherWorkers: () => ({
      schedule: {
        status: 'degraded',
        reason: 'plat.schedule.requests.v1/3 has received nothing for 60 s, lag 38',
      },
      product: { status: 'ready' },
    }),
    system: {
      retryTiersMs: [10_000, 60_000],
      processUrls: ['http://127.0.0.1:9'],
      version: '1.0.0',
      settings: [{ name: 'PORT', source: 'set', value: '0' }],
    },
  });
  return url;
}

it('says that everything is well, and shows workers, groups and settings, accessibly', async () => {
  const { page, errors } = await openSystem(ENGINE_URL);
  await page.getByRole('heading', { name: 'Everything is well' }).waitFor();
  await isShown(page);
  for (const worker of ['ingress', 'schedule', 'product', 'simulation', 'notification']) {
    const item = page.getByRole('listitem').filter({ hasText: `${worker}ready` });
    await item.first().waitFor();
  }
  expect(await page.getByText('Waiting: 0').count()).toBeGreaterThan(5);
  // A change of the verdict is announced once, and the figures are not.
  const announced = page.locator('[role=status], [aria-live]:not([aria-live=off])');
  const texts = (await announced.allTextContents()).map((text) => text.trim());
  expect(texts).toContain('Everything is well');
  expect(texts.join(' ')).not.toMatch(/second|Observed/);
  await page.getByText('plat.schedule.interactive', { exact: true }).click();
  await page.getByRole('cell', { name: 'schedule-interactive-1' }).first().waitFor();
  await page.getByRole('cell', { name: '10s,1m,10m,1h' }).waitFor();
  const faults = await findFaultsInLooks(page, 'system', async () => {
    await page.getByRole('heading', { name: 'Totul este în regulă' }).waitFor();
    await page.getByText('Mesaje în așteptare').first().waitFor();
  });
  expect(faults).toEqual([]);
  expect(errors).toEqual([]);
});

it('names what is wrong, accessibly', async () => {
  const { page, errors } = await openSystem(await openTroubledIngress());
  await page.getByRole('heading', { name: /Needs attention: \d/ }).waitFor();
  const findings = page.getByRole('list', { name: 'Findings' });
  const texts = await findings.getByRole('listitem').allTextContents();
  expect(texts.slice(0, 3).every((text) => text.startsWith('Critical'))).toBe(true);
  expect(texts.join('\n')).toContain('No process reads plat.schedule.requests.v1. Messages waiting: 38.');
  expect(texts.join('\n')).toContain('It cannot be read: no connection (bad port)');
  await page.getByText('Waiting: 38', { exact: true }).waitFor();
  const faults = await findFaultsInLooks(page, 'system-troubled', async () => {
    await page.getByRole('heading', { name: /Necesită intervenție: \d/ }).waitFor();
    const inRomanian = page.getByRole('list', { name: 'Constatări' });
    const text = (await inRomanian.getByRole('listitem').allTextContents()).join('\n');
    for (const part of [
      'Niciun proces nu citește plat.schedule.requests.v1. Mesaje în așteptare: 38.',
      'Nu poate fi citit: nu poate fi contactat (bad port)',
      'Apelurile furnizorului au eșuat',
      'Nu a fost publicat niciun catalog',
      // The reason of a worker is in English.
      'limitat: plat.schedule.requests.v1/3 has received nothing',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/messages wait|cannot be|calls failed|has been published/);
  });
  expect(faults).toEqual([]);
  expect(errors).toEqual([]);
});

it('asks nothing while it is hidden, and says that the server has gone until it is back', async () => {
  const { page } = await openSystem(ENGINE_URL);
  await isShown(page);
  const observed = () => page.getByText(/^Observed at/).textContent();
  const before = await observed();
  await expect.poll(observed).not.toBe(before);
  await page.evaluate(setHidden(true));
  const asked = await Promise.race([
    page.waitForRequest('**/v1/system').then(() => true),
    page.waitForTimeout(QUIET_MS).then(() => false),
  ]);
  expect(asked).toBe(false);
  await page.evaluate(setHidden(false));
  await page.waitForRequest('**/v1/system');
  await page.context().setOffline(true);
  await page.getByText('The engine cannot be reached').waitFor();
  await page.getByText(/What is shown is from .* The page tries again/).waitFor();
  await page.getByRole('heading', { name: 'Last known: Everything is well' }).waitFor();
  expect(await findAccessibilityFaults(page, 'main')).toEqual([]);
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Everything is well', exact: true }).waitFor();
  expect(await page.getByText('The engine cannot be reached').count()).toBe(0);
});
