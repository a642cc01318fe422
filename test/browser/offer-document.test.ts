import { expect, it } from 'vitest';
import { CREATE_OFFER_DOCUMENT } from '../../shared/api/actions/offer-document-action.ts';
import { ENGINE_URL, findAccessibilityFaults, useBrowser } from '../support/browser/workbench-page.ts';

const openPage = useBrowser();
const PATH = `/platapi/automation-processors/actions/${CREATE_OFFER_DOCUMENT.name}`;
const [CONSUMER] = CREATE_OFFER_DOCUMENT.examples;

it('the HTML of a document is accessible, and its policy lets its own style in', async () => {
  const headers = { 'content-type': 'application/json', accept: 'text/html' };
  const answer = await fetch(ENGINE_URL + PATH, {
    method: 'POST',
    headers,
    body: JSON.stringify(CONSUMER.request),
  });
  const body = await answer.text();
  const { page, errors } = await openPage(`${ENGINE_URL}/docs`);
  const policy = answer.headers.get('content-security-policy') ?? '';
  await page.route('**/document', (route) =>
    route.fulfill({ body, contentType: 'text/html', headers: { 'content-security-policy': policy } }),
  );
  await page.goto(`${ENGINE_URL}/document`);
  await page
    .getByRole('heading', { level: 1, name: 'Standard European Consumer Credit Information' })
    .waitFor();
  await page
    .getByRole('table', { name: 'Amounts in EUR' })
    .getByRole('columnheader', { name: 'Date' })
    .waitFor();
  expect(await page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse")).toBe(
    'collapse',
  );
  expect(await findAccessibilityFaults(page)).toEqual([]);
  expect(errors).toEqual([]);
});
