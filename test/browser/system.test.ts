import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../shared/messaging/embedded/embedded-broker.ts';
import { TOPIC } from '../../shared/messaging/topics/topic-list.ts';
import { createMetrics } from '../../shared/platform/metrics.ts';
import { authorize } from '../support/builders/access-token.ts';
import { callAction, post, PROOF_REQUEST } from '../support/builders/schedule-call.ts';
import {
  ENGINE_URL,
  findAccessibilityFaults,
  findFaultsInLooks,
  GUARDED_URL,
  useBrowser,
  takePicture,
} from '../support/browser/workbench-page.ts';
import { openTestIngress } from '../support/worlds/ingress-fixture.ts';

const { SCREENSHOTS } = process.env;
const SYSTEM_PATH = '/workbench/system';
const PMT = 'PLAT_BP_CalculatePMT';
const TERMS = {
  InstallmentsNo: 12,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: 100,
  InterestPercent: 12,
};
/** The page asks every two seconds. */
const QUIET_MS = 5_000;
const openPage = useBrowser();

const openSystem = (url: string) => openPage(url + SYSTEM_PATH);

const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

/** A script that tells the page that it is hidden, or shown again. */
const setHidden = (isHidden: boolean) =>
  `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`;

async function callSchedule(times: number): Promise<void> {
  for (let left = times; left > 0; left -= 1) {
    const response = await post(ENGINE_URL, { jsonParam: PROOF_REQUEST });
    await response.arrayBuffer();
  }
}

/** An ingress of an installation in which much is wrong. */
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
  metrics
    .gauge('plat_notification_provider_open', 'help', ['channel', 'provider'])
    .set({ channel: 'sms', provider: 'main' }, 1);
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

describe('the page of the system', () => {
  it('says that everything is well, and shows workers, groups, calls as they happen and settings, accessibly', async () => {
    const { page, errors } = await openSystem(ENGINE_URL);
    await page.getByRole('heading', { name: 'Everything is well' }).waitFor();
    await isLive(page);
    for (const worker of ['ingress', 'schedule', 'product', 'simulation', 'notification']) {
      await page
        .getByRole('listitem')
        .filter({ hasText: `${worker}ready` })
        .first()
        .waitFor();
    }
    expect(await page.getByRole('img', { name: '12 partitions, nothing waits' }).count()).toBeGreaterThan(5);
    // A change of the verdict is announced once, and the figures are not.
    const announced = page.locator('[role=status], [aria-live]:not([aria-live=off])');
    const texts = (await announced.allTextContents()).map((text) => text.trim());
    expect(texts).toContain('Everything is well');
    expect(texts.join(' ')).not.toMatch(/second|Observed/);
    // No other file calls this action of the engine, so the count is exact.
    const row = page.getByRole('row').filter({ hasText: PMT });
    const calls = async () => Number((await row.getByRole('cell').nth(2).textContent())?.replaceAll(',', ''));
    for (let left = 20; left > 0; left -= 1) await callAction(ENGINE_URL, PMT, { jsonParam: TERMS });
    await row.waitFor();
    await expect.poll(calls).toBe(20);
    await page.getByRole('button', { name: 'Details of plat.schedule.interactive' }).click();
    await page.getByRole('cell', { name: 'schedule-interactive-1' }).first().waitFor();
    await page.getByText(/\d+ of \d+ settings/).waitFor();
    await page.waitForTimeout(SCREENSHOTS === undefined ? 0 : 8_000);
    const faults = await findFaultsInLooks(page, 'system', async () => {
      await page.getByRole('heading', { name: 'Totul este în regulă' }).waitFor();
      expect(await page.getByText('Cereri pe secundă').count()).toBe(1);
    });
    expect(faults).toEqual([]);
    const search = page.getByLabel('Search by name or value');
    await search.fill('retry tiers');
    await page.getByText('1 of').waitFor();
    await page.getByRole('cell', { name: '10s,1m,10m,1h' }).waitFor();
    await search.fill('');
    await page.getByLabel('Only those that were set').check();
    await page.getByRole('rowheader', { name: 'PORT', exact: true }).waitFor();
    expect(await page.getByRole('rowheader', { name: 'REPLY_TIMEOUT_MS', exact: true }).count()).toBe(0);
    await search.fill('nothing like this');
    await page.getByText('No setting matches.').waitFor();
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
    await page
      .getByRole('img', { name: /partitions have waiting messages; most in partition/ })
      .first()
      .waitFor();
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

  it('asks nothing while it is paused by keyboard or hidden, and says that the server has gone until it is back', async () => {
    const { page } = await openSystem(ENGINE_URL);
    await isLive(page);
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Paused', { exact: true }).waitFor();
    const observed = () => page.getByText(/^Observed at/).textContent();
    const before = await observed();
    await callSchedule(3);
    await page.waitForTimeout(QUIET_MS);
    expect(await observed()).toBe(before);
    await page.getByRole('button', { name: 'Continue' }).focus();
    await page.keyboard.press('Enter');
    await isLive(page);
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
    await takePicture(page, 'system-gone', false);
    await page.context().setOffline(false);
    await isLive(page);
    expect(await page.getByText('The engine cannot be reached').count()).toBe(0);
  });

  it('names the scope that a token lacks, and a token with it opens the page', async () => {
    const { page } = await openSystem(GUARDED_URL);
    const use = async (scope: string) => {
      const { authorization } = await authorize('ana', scope);
      await page.getByRole('textbox', { name: 'Access token' }).fill(authorization.replace('Bearer ', ''));
      await page.getByRole('button', { name: 'Use token' }).click();
    };
    await use('');
    await page.getByText('Your token does not permit this page').waitFor();
    await page.getByText(/scope operations:read/).waitFor();
    expect(await findAccessibilityFaults(page, 'main')).toEqual([]);
    await takePicture(page, 'system-forbidden', false);
    await page.getByRole('button', { name: 'Change token' }).click();
    await use('operations:read');
    await isLive(page);
    await page.getByRole('heading', { name: 'Everything is well' }).waitFor();
  });
});
