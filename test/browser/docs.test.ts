import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ACTIONS } from '../../shared/api/actions/actions.ts';
import { authorize } from '../support/builders/access-token.ts';
import {
  ENGINE_URL,
  findAccessibilityFaults,
  findFaultsInLooks,
  GUARDED_URL,
  PHONE,
  useBrowser,
} from '../support/browser/workbench-page.ts';

const SCHEDULE = 'calculateRepaymentSchedule';
const PAYMENT = 'calculatePmt';
const CHECKED = ['errors', PAYMENT, 'dates-d'];

const openPage = useBrowser();

const openDocs = (options: Parameters<typeof openPage>[1] = {}, { url = ENGINE_URL, at = '' } = {}) =>
  openPage(`${url}/docs${at}`, options);

const topics = (page: Page) => page.getByRole('navigation', { name: 'Topics' });
const topicOf = (page: Page, name: string) => page.locator(`#${name}`);

const searchBox = (page: Page) => page.getByRole('searchbox', { name: 'Search' });
const results = (page: Page) => page.getByRole('navigation', { name: 'Search results' }).getByRole('link');
const SEEN = `(() => {
  const target = document.querySelector('.target');
  if (target === null) return false;
  const { top, bottom } = target.getBoundingClientRect();
  return top >= 0 && top < innerHeight && bottom > 0;
})()`;

const firstResults = [
  ['graceperiodfee', 'Field GracePeriodFee'],
  ['grace period fee', 'Field GracePeriodFee'],
  ['invalid-request', 'Problem invalid-request'],
  ['rates-overlap', 'Fault rates-overlap'],
  ['idempotency-key', 'Parameter Idempotency-Key'],
  ['plat-deadline', 'Header plat-deadline'],
  ['f3', 'Rule F3'],
  ['retries', 'Topic Retries'],
  ['instalment day', 'Field InstallmentDay'],
  ['redriveDeadLetters', 'Topic Sends dead letters again'],
  [ACTIONS[0]?.name ?? '', `Topic ${ACTIONS[0]?.summary}`],
] as const;

it('the search of the documentation is used by keyboard, opens the group of a field, and lists what is named so before what mentions it', async () => {
  const { page, errors } = await openDocs();
  const field = page.locator('[id="calculateRepaymentSchedule.request.jsonParam.Commission.GracePeriodFee"]');
  expect(await field.isVisible()).toBe(false);
  await page.keyboard.press('/');
  await page.keyboard.type('graceperiodfee');
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ results?/ })
    .waitFor();
  expect(await topics(page).isVisible()).toBe(false);
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(`document.activeElement === document.querySelector('#search-results a')`)).toBe(
    true,
  );
  await page.keyboard.press('Enter');
  await field.waitFor();
  await expect.poll(() => page.evaluate(SEEN)).toBe(true);
  await page.keyboard.press('Escape');
  await topics(page).waitFor();
  const found: string[] = [];
  for (const [text] of firstResults) {
    await searchBox(page).fill(text);
    const first = await results(page).first().innerText();
    found.push(first.split('\n').slice(0, 2).join(' '));
  }
  expect(found).toEqual(firstResults.map(([, first]) => first));
  await searchBox(page).fill('qqq');
  await page.getByText('Nothing has this text.').waitFor();
  expect(errors).toEqual([]);
});

it('leads from a field to its rule, and back, and is printed without navigation', async () => {
  const { page } = await openDocs({}, { at: `#${SCHEDULE}.request.jsonParam.Commission.FeeDate` });
  await expect.poll(() => page.evaluate(SEEN)).toBe(true);
  await page.locator('.target').getByRole('link', { name: 'F3' }).click();
  await expect.poll(() => page.locator('.target').innerText()).toContain('starts the first period');
  await expect.poll(() => page.evaluate(SEEN)).toBe(true);
  await page.goBack();
  await expect.poll(() => page.locator('.target').innerText()).toContain('FeeDate');
  await page.emulateMedia({ media: 'print' });
  expect(await topics(page).isVisible()).toBe(false);
});

it('the documentation calls an action with an edited example, and leads from each fault to its code and its field', async () => {
  // It works at an address whose fragment cannot be decoded.
  const { page, errors } = await openDocs({}, { at: '#100%' });
  const topic = topicOf(page, SCHEDULE);
  const body = topic.getByLabel('Body of the request');
  const example = topic.getByLabel('Example', { exact: true });
  await example.selectOption({ index: 1 });
  expect(JSON.parse(await body.inputValue())).toHaveProperty('jsonParam.CalculateDAE', 2);
  await example.selectOption({ index: 0 });
  await body.fill((await body.inputValue()).replace('"InstallmentsNo": 6', '"InstallmentsNo": 12'));
  await topic.getByRole('button', { name: 'Send' }).click();
  await topic.getByText(/^200 OK in \d+ ms$/).waitFor();
  const answer = topic.getByRole('group', { name: `Answer of ${SCHEDULE}`, exact: true });
  expect(JSON.parse((await answer.textContent()) ?? '')).toHaveLength(12);
  expect(await answer.textContent()).toMatch(
    /^\[\n  \{\n    "InstallmentNo": 1,[^]*"RemainingValue": 100\.00,/,
  );
  await body.fill(JSON.stringify({ jsonParam: { Amount: 'much', Commission: [{}] } }));
  await body.press('Control+Enter');
  await topic.getByText(/^400 Bad Request in \d+ ms/).waitFor();
  expect(await body.getAttribute('aria-invalid')).toBe('true');
  await topic.getByRole('link', { name: 'jsonParam.Commission[0].FeeDate' }).click();
  await expect.poll(() => page.locator('.target').innerText()).toContain('FeeDate');
  await topic.getByRole('link', { name: 'wrong-type' }).click();
  await expect.poll(() => page.locator('.target').innerText()).toContain('wrong-type');
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  await page.context().setOffline(true);
  await topic.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => topic.getByRole('status').textContent()).toBe('This instance cannot be reached.');
});

it('the documentation sends the token that is entered, shares it with the workbench, and copies a request as a command', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page } = await openDocs({ permissions }, { url: GUARDED_URL });
  const topic = topicOf(page, PAYMENT);
  const send = topic.getByRole('button', { name: 'Send' });
  await send.click();
  await topic.getByRole('status').getByRole('link', { name: 'Authentication' }).click();
  const { authorization } = await authorize('teller');
  await page.getByLabel('Access token for trying calls on this page').fill(authorization.slice(7));
  await send.click();
  await expect.poll(() => topic.getByRole('status').textContent()).toMatch(/^200 OK in \d+ ms/);
  expect(await page.evaluate(`sessionStorage.getItem('workbench.token')`)).toBe(authorization.slice(7));
  const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
  await topic.getByLabel('Body of the request').fill(`{"it's": 1}`);
  await topic.getByRole('button', { name: 'Copy as curl' }).click();
  await expect.poll(copied).toContain(String.raw`-d '{"it'\''s": 1}'`);
  expect(await copied()).toContain(`curl -s '${GUARDED_URL}/platapi`);
});

it('the documentation is complete without script', async () => {
  const { page } = await openDocs({ javaScriptEnabled: false });
  await topics(page)
    .getByRole('link', { name: 'Calculates the installments of a repayment schedule' })
    .click();
  const topic = topicOf(page, SCHEDULE);
  await topic.getByText('Grace periods').click();
  await topic.getByText('jsonParam.GracePeriodInterest').first().waitFor();
  await topic.getByText('Example: request').waitFor();
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
  expect(await page.getByRole('searchbox').count()).toBe(0);
});

it('the documentation folds the topics on a phone until they are wanted, and is accessible', async () => {
  const { page, errors } = await openDocs({ viewport: PHONE });
  const link = topics(page).getByRole('link', { name: 'Errors', exact: true });
  expect(await link.isVisible()).toBe(false);
  expect(await findAccessibilityFaults(page, '.topics')).toEqual([]);
  await page.getByText('Topics', { exact: true }).click();
  await link.click();
  expect(await link.isVisible()).toBe(false);
  const topic = topicOf(page, PAYMENT);
  await topic.getByLabel('Body of the request').fill('{"jsonParam": {"FinancedAmount": "much"}}');
  await topic.getByRole('button', { name: 'Send' }).click();
  await topic.getByText(/^400 Bad Request/).waitFor();
  await page.evaluate(
    `for (const group of document.querySelectorAll('#${PAYMENT} details')) group.open = true`,
  );
  const tooWide = `[...document.querySelectorAll('body *')]
      .filter((one) => one.clientWidth > 0 && one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => one.outerHTML.slice(0, 100))`;
  expect(await page.evaluate(tooWide)).toEqual([]);
  await topic.getByRole('heading', { name: 'Request', exact: true }).scrollIntoViewIfNeeded();
  // The other topics are of the same kinds, and axe-core takes nine seconds for all of them.
  await page.evaluate(
    `for (const topic of document.querySelectorAll('.topic')) if (!${JSON.stringify(CHECKED)}.includes(topic.id)) topic.remove()`,
  );
  await page.evaluate(`document.querySelector('.topics').open = true`);
  await searchBox(page).fill('grace');
  expect(await findFaultsInLooks(page, 'docs')).toEqual([]);
  expect(await page.evaluate(tooWide)).toEqual([]);
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
});
