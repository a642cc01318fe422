import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  NOTIFICATIONS,
  type NotificationContract,
} from '../../shared/contract/notification/notifications.ts';
import { authorize, JWT_SECRET } from '../support/builders/access-token.ts';
import {
  findAccessibilityFaults,
  openPage,
  PHONE,
  startBrowser,
  takePicture,
} from '../support/browser/workbench-page.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';

const SCHEDULE = 'PLAT_BP_CalculateRepaymentSchedule';
const [SMS] = NOTIFICATIONS as readonly [NotificationContract, ...NotificationContract[]];

let engine: EngineProcess;
let browser: Browser;

beforeAll(async () => {
  [engine, browser] = await Promise.all([startEngine([], { PORT: '0' }), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await engine?.end('SIGTERM');
});

async function openDocs(options: Parameters<typeof openPage>[2] = {}, url = engine.url) {
  const opened = await openPage(browser, `${url}/docs`, options);
  onTestFinished(() => opened.page.context().close());
  return opened;
}

const topics = (page: Page) => page.getByRole('navigation', { name: 'Topics' });
const topicOf = (page: Page, name: string) => page.locator(`#${name}`);

describe('the documentation', () => {
  it('finds a field and opens its group', async () => {
    const { page, errors } = await openDocs();
    await page.keyboard.press('/');
    await page.keyboard.type('graceperiodfee');
    await page.getByRole('status').filter({ hasText: '1 topic' }).waitFor();
    expect(await topics(page).getByRole('link', { name: 'PLAT_BP_CalculatePMT' }).isVisible()).toBe(false);
    const row = page.getByRole('row').filter({ hasText: 'jsonParam.Commission[].GracePeriodFee' });
    expect(await row.isVisible()).toBe(false);
    await topics(page).getByRole('link', { name: 'jsonParam.Commission[].GracePeriodFee' }).click();
    await row.waitFor();
    await page.getByRole('searchbox').fill('qqq');
    await page.getByText('No topic has this text.').waitFor();
    await page.getByRole('searchbox').fill('');
    await topics(page).getByRole('link', { name: 'PLAT_BP_CalculatePMT' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('calls an action with an edited example, and shows the faults of a bad one', async () => {
    const { page, errors } = await openDocs();
    const topic = topicOf(page, SCHEDULE);
    const body = topic.getByLabel('Body of the request');
    await topic.getByLabel('Example').selectOption({ index: 1 });
    expect(JSON.parse(await body.inputValue())).toHaveProperty('jsonParam.CalculateDAE', 2);
    await topic.getByLabel('Example').selectOption({ index: 0 });
    await body.fill((await body.inputValue()).replace('"InstallmentsNo": 6', '"InstallmentsNo": 3'));
    await topic.getByRole('button', { name: 'Send' }).click();
    await topic.getByText(/^200 OK in \d+ ms$/).waitFor();
    const answer = topic.getByRole('group', { name: 'Answer of' });
    expect(JSON.parse((await answer.textContent()) ?? '')).toHaveLength(3);
    await body.fill('{"jsonParam": {"Amount": "much"}}');
    await body.press('Control+Enter');
    await topic.getByText(/^400 Bad Request in \d+ ms$/).waitFor();
    expect(await answer.textContent()).toContain('jsonParam.ScheduleType');
    await takePicture(page, 'docs-try', false);
    await body.fill('{');
    await body.press('Control+Enter');
    await expect.poll(() => answer.textContent()).toContain('malformed');
    expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('says that the instance cannot be reached', async () => {
    const { page } = await openDocs();
    await page.context().setOffline(true);
    await topicOf(page, SCHEDULE).getByRole('button', { name: 'Send' }).click();
    const outcome = topicOf(page, SCHEDULE).getByRole('status');
    await expect.poll(() => outcome.textContent()).toBe('This instance cannot be reached.');
  });

  it('sends the token of the workbench', async () => {
    const guarded = await startEngine([], { PORT: '0', AUTH_JWT_SECRET: JWT_SECRET });
    onTestFinished(async () => void (await guarded.end('SIGTERM')));
    const { page } = await openDocs({}, guarded.url);
    const topic = topicOf(page, 'PLAT_BP_CalculatePMT');
    const send = topic.getByRole('button', { name: 'Send' });
    await send.click();
    await topic.getByText(/^401 .* Enter an access token in the workbench, in this tab\.$/).waitFor();
    const { authorization } = await authorize('teller');
    await page.evaluate(`sessionStorage.setItem('workbench.token', '${authorization.slice(7)}')`);
    await send.click();
    await expect.poll(() => topic.getByRole('status').textContent()).toMatch(/^200 OK in \d+ ms$/);
  });

  it('shows all examples in the chosen language', async () => {
    const { page } = await openDocs();
    await topicOf(page, 'first-call').getByRole('radio', { name: 'Python' }).check();
    const code = topicOf(page, 'SendSms').getByRole('group', { name: 'Python' });
    expect(await code.isVisible()).toBe(true);
    expect(await topicOf(page, 'SendSms').getByRole('group', { name: 'curl' }).isVisible()).toBe(false);
  });

  it('is complete without script', async () => {
    const { page } = await openDocs({ javaScriptEnabled: false });
    await topics(page).getByRole('link', { name: SCHEDULE }).click();
    const topic = topicOf(page, SCHEDULE);
    await topic.getByText('Grace periods').click();
    await topic.getByRole('cell', { name: 'jsonParam.GracePeriodInterest' }).waitFor();
    await topic.getByRole('radio', { name: 'Java' }).first().check();
    await topic.getByRole('group', { name: 'Java', exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
    expect(await page.getByRole('searchbox').count()).toBe(0);
  });

  it.each([
    ['light', { colorScheme: 'light' as const }],
    ['dark', { colorScheme: 'dark' as const }],
    ['phone', { viewport: PHONE }],
  ])('is accessible: %s', async (name, options) => {
    const { page, errors } = await openDocs(options);
    await takePicture(page, `docs-${name}`, false);
    const topic = topicOf(page, SCHEDULE);
    await topic.getByRole('button', { name: 'Send' }).click();
    await topic.getByText(/^200 OK/).waitFor();
    await page.evaluate('for (const group of document.querySelectorAll("details")) group.open = true');
    expect(await findAccessibilityFaults(page)).toEqual([]);
    const tooWide = `[...document.querySelectorAll('body *')]
      .filter((one) => one.clientWidth > 0 && one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => one.outerHTML.slice(0, 100))`;
    expect(await page.evaluate(tooWide)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await topic.getByRole('heading', { name: 'Request' }).scrollIntoViewIfNeeded();
    await takePicture(page, `docs-fields-${name}`, false);
    expect(errors).toEqual([]);
  });

  it('folds the topics on a phone until they are wanted', async () => {
    const { page } = await openDocs({ viewport: PHONE });
    const link = topics(page).getByRole('link', { name: 'Errors' });
    expect(await link.isVisible()).toBe(false);
    await page.getByText('Topics', { exact: true }).click();
    await link.click();
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('searchbox').fill('retry-after');
    await topics(page).getByRole('link', { name: 'Calling over HTTP' }).waitFor();
  });

  it('prints all groups', async () => {
    const { page } = await openDocs();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('details:not([open])').count()).toBe(0);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.locator('details:not([open])').count()).toBeGreaterThan(0);
    await page.emulateMedia({ media: 'print' });
    expect(await topics(page).isVisible()).toBe(false);
    await takePicture(page, 'docs-print', false);
  });

  it.each([
    ['light', { colorScheme: 'light' as const }],
    ['phone', { viewport: PHONE }],
  ])('has outbox pages of the same look: %s', async (name, options) => {
    const sent = await fetch(`${engine.url}${SMS.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-communication-channel': SMS.channelNumber,
        'x-sender-id': 'platrealm',
      },
      body: JSON.stringify(SMS.example),
    });
    expect(sent.status).toBe(202);
    const { page, errors } = await openPage(browser, `${engine.url}/outbox`, options);
    onTestFinished(() => page.context().close());
    await expect
      .poll(async () => {
        await page.reload();
        return page.getByRole('table').getByRole('link').count();
      })
      .toBeGreaterThan(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, `outbox-${name}`, false);
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('link', { name: 'All messages' }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, `outbox-message-${name}`, false);
    expect(errors).toEqual([]);
  });
});
