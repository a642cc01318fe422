import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startIngressWorker } from '../../workers/ingress/main.ts';
import { authorize, JWT_SECRET } from '../support/builders/access-token.ts';
import {
  ENGINE_URL,
  findAccessibilityFaults,
  findFaultsInLooks,
  PHONE,
  useBrowser,
} from '../support/browser/workbench-page.ts';
import { changesOf } from '../support/worlds/catalogue-changes.ts';
import { CATALOGUE_TOPIC, guidOf, productValue, recordOf } from '../support/worlds/catalogue-world.ts';
import { createSharedBroker, startOn } from '../support/worlds/ingress-system.ts';
import { startOverLog } from '../support/worlds/product-worker.ts';

const openPage = useBrowser();

const address = (rest = '') => `${ENGINE_URL}/workbench/products${rest}`;
const results = (page: Page) => page.locator('.product-list tbody > tr');

async function rowsOf(region: Locator): Promise<readonly string[][]> {
  return (await region.getByRole('row').allInnerTexts()).slice(1).map((row) => row.split('\t'));
}

async function openCatalogue(env: Record<string, string> = {}) {
  const broker = await createSharedBroker(1);
  const change = changesOf(broker, CATALOGUE_TOPIC);
  const ingress = await startOn(broker, startIngressWorker, env);
  return {
    broker,
    ingress,
    address: `${ingress.url}/workbench/products`,
    put: (...values: readonly object[]) => change({ put: values.map((value) => recordOf('product', value)) }),
    change,
  };
}

it('the catalogue is searched while the user types, limited to what is valid on a day, and says where nothing is', async () => {
  const { page, errors } = await openPage(address());
  await page.getByText('Products: 12').waitFor();
  const faults = await findFaultsInLooks(page, 'products-list', () =>
    page.getByText('Produse: 12').waitFor(),
  );
  expect(faults).toEqual([]);
  await page.getByRole('searchbox').pressSequentially('personal');
  await page.getByText('1 of 12 products').waitFor();
  expect(await results(page).allInnerTexts()).toEqual([
    expect.stringMatching(/Personal loan[\s\S]*TL-PERSONAL/),
  ]);
  expect(new URL(page.url()).search).toBe('?search=personal');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Personal loan', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'All products' }).click();
  await expect.poll(() => results(page).count()).toBe(1);
  expect(await page.getByRole('searchbox').inputValue()).toBe('personal');
  await page.getByLabel('Valid on').fill('2021-06-30');
  await page.getByText('Valid on 30 Jun 2021').waitFor();
  await results(page).filter({ hasText: 'TL-PERSONAL' }).getByText('Version 1 of 3').waitFor();
  await page.getByRole('searchbox').fill('bridge');
  await page.getByRole('heading', { name: 'No product matches' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'No product matches' }).waitFor();
  await page.getByRole('button', { name: 'Clear' }).first().click();
  await page.getByText('Products: 12').waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(await page.getByRole('searchbox').inputValue()).toBe('');
  expect(errors).toEqual([]);
});

it('the catalogue explains an address with faults beside the fields, and one of a product or version that is unknown', async () => {
  const { page } = await openPage(address(`?search=${'x'.repeat(101)}&validOn=2024-02-30`));
  await page.getByText('must have at most 100 characters').first().waitFor();
  expect(await page.getByRole('searchbox').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('Valid on').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByRole('alert').innerText()).toContain('validOn: must be an existing day');
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.goto(address('/XX'));
  await page.getByText('There is no such product').waitFor();
  expect(await page.getByRole('button', { name: 'Look-up today' }).count()).toBe(0);
  await page.goto(address('/TL-PERSONAL?version=99'));
  await page.getByText('no such version of it').waitFor();
});

it('the catalogue has pages, and follows the topic', async () => {
  const { address: own, put } = await openCatalogue();
  const { page } = await openPage(own);
  await page.getByRole('heading', { name: 'The catalogue has no products' }).waitFor();
  expect(await findAccessibilityFaults(page, 'main')).toEqual([]);
  const codes = Array.from({ length: 51 }, (_, index) => `P-${100 + index}`);
  await put(...codes.map((code, index) => productValue(code, { Id: guidOf(index + 1) })));
  await page.reload();
  await page.getByText('Products: 51').waitFor();
  expect(await results(page).count()).toBe(50);
  await page.getByRole('link', { name: 'Next page' }).click();
  await results(page).filter({ hasText: 'P-150' }).waitFor();
  expect(await results(page).count()).toBe(1);
  await page.getByRole('link', { name: 'First page' }).click();
  await expect.poll(() => results(page).count()).toBe(50);
});

it('a product has its versions over time, their sections, and what is different between two of them, accessibly', async () => {
  const { page, errors } = await openPage(address('/TL-PERSONAL'));
  const named = async (section: string) => page.locator(`#section-${section}`).innerText();
  const versions = page.getByRole('region', { name: 'Versions', exact: true });
  await versions.getByRole('row', { name: 'Version 2 Today Approved 1 Jan 2024' }).waitFor();
  expect(await versions.locator('rect.validity-approved').count()).toBe(2);
  await page.locator('#section-commissions').waitFor();
  expect(await named('availability')).toContain('30,000 EUR');
  expect(await named('interests')).toContain('9.25 % · from 1 Jan 2020 to 31 Dec 2023');
  expect(await named('general')).toContain('Equal instalments');
  expect(await named('availability')).toMatch(/\bMonths\b/);
  expect(await named('commissions')).toMatch(/\bYearly\b/);
  const inSections = await findFaultsInLooks(page, 'products-sections', async () => {
    await page.getByText('Azi', { exact: true }).waitFor();
    expect(await named('availability')).toContain('30.000 EUR');
    expect(await named('interests')).toContain('9,25 % · din 1 ian. 2020 până la 31 dec. 2023');
    expect(await named('general')).toContain('Rate egale');
    expect(await named('availability')).toMatch(/\bLuni\b/);
    expect(await named('commissions')).toMatch(/\bAnual\b/);
  });
  expect(inSections).toEqual([]);
  await page.getByRole('button', { name: 'Differences' }).click();
  const availability = page.getByRole('region', { name: 'Availability' });
  await availability.waitFor();
  expect(await rowsOf(availability)).toEqual([
    ['Longest term changed', '60', '84'],
    ['Largest amount changed', '20,000 EUR', '30,000 EUR'],
  ]);
  const inDifferences = await findFaultsInLooks(page, 'products-differences', async () => {
    expect(await rowsOf(page.getByRole('region', { name: 'Disponibilitate' }))).toEqual([
      ['Durata maximă modificat', '60', '84'],
      ['Suma maximă modificat', '20.000 EUR', '30.000 EUR'],
    ]);
  });
  expect(inDifferences).toEqual([]);
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect.poll(() => availability.getByRole('row').nth(1).innerText()).toMatch(/84\s+60/);
  await page.reload();
  await expect.poll(() => availability.getByRole('row').nth(1).innerText()).toMatch(/84\s+60/);
  await page.getByRole('button', { name: 'Sections' }).click();
  await page.getByRole('button', { name: 'Version 1', exact: true }).press('Enter');
  await expect.poll(() => named('availability')).toContain('20,000 EUR');
  expect(new URL(page.url()).searchParams.get('version')).toBe('1');
  expect(errors).toEqual([]);
});

it('a product without the scope can be looked up by its code', async () => {
  const { broker, address: own } = await openCatalogue({ AUTH_JWT_SECRET: JWT_SECRET });
  await startOverLog(broker);
  const { authorization } = await authorize('ana', 'operations:write');
  const { page } = await openPage(own);
  await page.getByRole('textbox', { name: 'Access token' }).fill(authorization.replace('Bearer ', ''));
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByText('does not have the scope operations:read').waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Look up by code').fill('MG-HOME');
  await page.getByRole('button', { name: 'Show product' }).click();
  await page.getByRole('heading', { name: 'Home loan' }).waitFor();
  expect(await page.locator('.tabs > button').allInnerTexts()).toEqual([
    'Look-up today',
    'Simulate an offer',
  ]);
});

it('an offer is looked up, and an offer is simulated, accessibly', async () => {
  const { page, errors } = await openPage(address('/TL-PERSONAL?view=look-up'));
  await page.getByRole('region', { name: 'Standard: Commissions' }).getByText('100 EUR').waitFor();
  expect(await findFaultsInLooks(page, 'products-look-up')).toEqual([]);
  await page.getByRole('button', { name: 'Simulate an offer' }).click();
  const offers = page.getByRole('region', { name: 'Offers that fit' });
  await offers.getByText('18,176.02').waitFor();
  await page.getByLabel('Amount').fill('10000');
  await page.getByLabel('Number of periods').fill('12');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await offers.getByText('10,606.12').waitFor();
  await page.getByLabel('Employer').waitFor();
  await page.getByLabel('YearsAsClient').fill('3');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await offers.getByText('10,601.12').waitFor();
  expect(await offers.innerText()).toMatch(/877\.70\s+Highest payment\s+last payment 874\.93/);
  expect(await offers.getByText('of which 85.00 at the start').count()).toBe(2);
  await page.getByLabel('Salary client').check();
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await offers.getByText('7.95 %').first().waitFor();
  await page.getByText('Charges and instalments of offer 1').click();
  await page.getByText('Interest 7.95 %; before discounts 8.5 %.').first().waitFor();
  await page.getByRole('row', { name: 'Analysis fee Once 100.00 85.00' }).first().waitFor();
  await page.getByRole('row', { name: '12 863.97 5.72 2.50 0.26 872.45 863.97' }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Offer document (PDF)' }).first().click();
  expect((await saved).suggestedFilename()).toBe('offer-TL-PERSONAL.pdf');
  await page.getByText('The document has 6 points that the lender must complete.').waitFor();
  expect(await findFaultsInLooks(page, 'products-offer')).toEqual([]);
  expect(errors).toEqual([]);
});

it('an offer is simulated with the least down payment, and figures that its formulas ask for', async () => {
  const { page } = await openPage(address('/LS-CAR?view=offer'));
  await page.getByText('The price of this product depends on further figures.').waitFor();
  expect(await page.getByLabel('Down payment').inputValue()).toBe('4750');
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByRole('alert').getByText('is missing').waitFor();
  await page.getByLabel('KilometresPerYear').fill('15 000');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByRole('region', { name: 'Offers that fit (EUR)' }).waitFor();
  await page.getByRole('rowheader', { name: 'Down payment' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('an offer is marked when a term has changed since, and includes faults beside the fields', async () => {
  const { page } = await openPage(address('/TL-PERSONAL?view=offer'), { viewport: PHONE });
  const offers = page.getByRole('region', { name: 'Offers that fit' });
  await offers.getByText('18,176.02').waitFor();
  const mark = page.getByText('These offers are for the terms before the last change. Simulate again.');
  expect(await mark.count()).toBe(0);
  await page.getByLabel('Amount').fill('12,000 EUR');
  await mark.first().waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await offers.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.getByLabel('Number of periods').fill('2 years');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await offers
    .getByText(/^5\d\d\.\d\d/)
    .first()
    .waitFor();
  expect(await mark.count()).toBe(0);
  await page.getByLabel('Salary client').check();
  await mark.first().waitFor();
  await page.getByLabel('Amount').fill('-1');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByRole('alert').innerText()).not.toMatch(/[a-z][A-Z]/);
  // Fifteen thousand, or fifteen.
  await page.getByLabel('Amount').fill('15.000');
  await page.getByText('"15.000" can be read as 15000 or as 15.00; write one of these').waitFor();
  await page.getByLabel('Amount').fill('500000');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  const alert = page.getByRole('alert');
  await alert.getByText(/^Amount: must be at most 30000 EUR, the product's/).waitFor();
  expect(await alert.innerText()).not.toMatch(/[a-z][A-Z]/);
});
