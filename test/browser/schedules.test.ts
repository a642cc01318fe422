import { text as textOf } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { scheduleFormFields } from '../../workers/ingress/workbench/schedule-form-fields.ts';
import { authorize } from '../support/builders/access-token.ts';
import {
  ENGINE_URL,
  findAccessibilityFaults,
  findFaultsInLooks,
  GUARDED_URL,
  PHONE,
  takePicture,
  useBrowser,
} from '../support/browser/workbench-page.ts';

const LOAN = {
  Amount: '25000',
  InstallmentsNo: '60',
  ScheduleType: 'EqualInstallments',
  PeriodicityType: 'Monthly',
  Currency: 'EUR',
  InterestPercent: '8.5',
  ActivationDate: '2026-01-01',
  InstallmentDay: '1',
  Commission: [{ FeeName: 'Account administration', SourceValue: '4.5', FeePeriodicityType: 'Monthly' }],
};
const RICH_LOAN = {
  ...LOAN,
  ResidualValue: '5000',
  HolidayShift: 'true',
  HolidayCountry: 'RO',
  GracePeriodPrincipal: '3',
  UpFrontValue: '250',
  Insurance: [{ InsuranceName: 'Life', SourcePercent: '0.02', InsurancePeriodicityType: 'Monthly' }],
  EarlyRepayments: [{ Date: '2027-06-15', Amount: '3000' }],
};
const query = (loans: readonly object[]): string =>
  loans.map((loan) => `loan=${encodeURIComponent(JSON.stringify(loan))}`).join('&');
const addressOf = (...loans: readonly object[]): string =>
  `${ENGINE_URL}/workbench/schedules?${query(loans)}`;

const openPage = useBrowser();

const openLoans = (loans: readonly object[], options: Parameters<typeof openPage>[1] = {}) =>
  openPage(addressOf(...loans), options);

/** Waits until the schedule has this payment. Among the figures: the names of all buttons of the page take longer to find. */
const payment = (page: Page, amount: string, label = 'Regular payment'): Promise<void> =>
  page
    .locator('.schedule-figures')
    .getByRole('button', { name: `${label}: ${amount}` })
    .waitFor();

const place = (page: Page, name: string) => page.locator(`[data-place="${name}"]`);
const percentage = (page: Page) =>
  page.getByRole('group', { name: 'Commission 1' }).getByLabel('or percentage', { exact: true });
const focusedPlace = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement.closest("[data-place]")?.dataset.place');

/** Opens all groups; the fields of a group are made a moment after it is opened, with groups of their own. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    while (document.querySelector('details:not([open]), details:not(:has(> :nth-child(2)))') !== null) {
      for (const group of document.querySelectorAll('details')) group.open = true;
      await new Promise(requestAnimationFrame);
    }
  })()`);
}

/** Its element is removed a moment after the browser has closed it. */
async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
}

const OPENS_AT_ONCE = `(async () => {
  document.querySelector('[aria-label="EIR, without insurances: 9.2454 %"]').click();
  for (let step = 0; step < 10; step += 1) await undefined;
  return document.querySelector('dialog').matches(':modal');
})()`;

it('loads less than 210 kB, and follows the loan while it is entered, on a phone too; the address keeps it', async () => {
  const { page, errors } = await openLoans([LOAN]);
  await payment(page, '517.41');
  const bytes = await page.evaluate<number>(
    'performance.getEntries().reduce((sum, entry) => sum + (entry.transferSize ?? 0), 0)',
  );
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(210_000);
  await takePicture(page, 'workbench-schedules', false);
  await page.getByRole('img', { name: /60 payments/ }).waitFor();
  const amount = page.getByLabel('Amount', { exact: true }).first();
  await page.setViewportSize(PHONE);
  await amount.fill('999999999999.99');
  await payment(page, '20,516,531,331.55');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
  await amount.fill('25000');
  await page.getByLabel('Interest, % a year', { exact: true }).fill('0');
  await payment(page, '421.17');
  await page.getByRole('status').getByText('Regular payment 421.17, Total to repay 25,270.00').waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get('loan')).toContain('"InterestPercent":"0"');
  await page.reload();
  await payment(page, '421.17');
  expect(errors).toEqual([]);
});

it('explains a figure of a row, and a total, and says why the EIR is not the DAE without insurances', async () => {
  const { page } = await openLoans([LOAN]);
  await page.getByRole('button', { name: '177.08', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'How instalment 1 is calculated' });
  expect(await dialog.locator('code').textContent()).toBe('25000.00 * 8.5 % * 30/360 = 177.08');
  await closeDialog(page);
  await page.getByRole('button', { name: 'Total to repay: 31,044.86' }).click();
  await page.getByText('25,000.00 principal + 5,774.86 interest + 270.00 charges = 31,044.86.').waitFor();
  await closeDialog(page);
  await page.getByText('no insurances: differs from the DAE by counting days').waitFor();
  const isOpenAtOnce = await page.evaluate(OPENS_AT_ONCE);
  // Before it is open, Escape would have no effect on it.
  expect(isOpenAtOnce).toBe(true);
  const eir = page.getByRole('dialog', { name: 'EIR, without insurances: 9.2454 %' });
  await eir.getByText('There are no insurances, so the rate counts the same payments as the DAE.').waitFor();
  expect(await findAccessibilityFaults(page, 'dialog')).toEqual([]);
});

it('compares three variants: what differs in their terms, and their results, also after another page was open', async () => {
  const { page } = await openLoans([LOAN]);
  await page.getByRole('button', { name: 'Compare with a variant' }).click();
  const instalments = page.getByLabel('Number of instalments', { exact: true });
  await instalments.fill('48');
  await payment(page, '620.71');
  await page.getByRole('link', { name: 'Products' }).click();
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await payment(page, '620.71');
  expect(await page.getByRole('button', { name: 'Variant B', pressed: true }).count()).toBe(1);
  await expect.poll(() => new URL(page.url()).searchParams.getAll('loan')).toHaveLength(2);
  await page.getByRole('button', { name: 'Compare with a variant' }).click();
  await page.getByLabel('Kind of instalments', { exact: true }).selectOption('EqualPrincipal');
  const table = page.getByRole('region', { name: 'Comparison of the variants' });
  await table.getByText('−12 against A').first().waitFor();
  const chart = page.getByRole('img', { name: /of each variant over time/ });
  await expect.poll(() => chart.locator('.chart-line').count()).toBe(6);
  await chart.getByText('1 Jan 2028').waitFor();
  await table
    .getByRole('row', { name: 'Kind of instalments Equal instalments Equal instalments Equal principal' })
    .waitFor();
  await table.getByRole('row', { name: 'Number of instalments 60 48 48' }).waitFor();
  expect(await findAccessibilityFaults(page, '[aria-busy]')).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  await page.getByRole('heading', { name: 'Loan offer: Variant C' }).waitFor();
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('button', { name: 'Remove variant C' }).click();
  await expect.poll(() => table.getByRole('columnheader').count()).toBe(6);
  await instalments.fill('0');
  await page.getByRole('button', { name: /^Variant B.*with fields to correct$/ }).waitFor();
  await page.getByRole('button', { name: 'Start again' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.getAll('loan')).toHaveLength(1);
  expect(await instalments.inputValue()).toBe('60');
});

it('compares rates in percentage points, amounts in the same currency only, and no loan with faults', async () => {
  const { page } = await openLoans([LOAN, { ...LOAN, Amount: '30000', InterestPercent: '9' }]);
  const table = page.getByRole('region', { name: 'Comparison of the variants' });
  const cellOf = (figure: string) => table.getByRole('row', { name: figure }).getByRole('cell').nth(1);
  await expect.poll(() => cellOf('DAE').innerText()).toMatch(/%\n\+\d\.\d{4} pp\nagainst A$/);
  expect(await cellOf('Total interest').innerText()).toContain('against A');
  await page.getByRole('button', { name: 'Variant B' }).click();
  await page.getByLabel('Currency', { exact: true }).selectOption('RON');
  await expect.poll(() => cellOf('Total interest').innerText()).not.toContain('against A');
  expect(await cellOf('DAE').innerText()).toContain('pp\nagainst A');
  await page.getByLabel('Number of instalments', { exact: true }).fill('0');
  await table.getByRole('row', { name: 'Regular payment 517.41 –' }).waitFor();
  const mark = page.locator('.schedules-mark');
  await mark.getByText('These figures are from before the last change.').waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.schedule-figures').isVisible()).toBe(false);
  expect(await mark.isVisible()).toBe(true);
});

it('saves the rows as CSV and copies the call, also where the browser has no clipboard for scripts', async () => {
  const { page, errors } = await openLoans([{ ...LOAN, DeferDueDate: 'false', CalculateDAE: '2' }]);
  await payment(page, '517.41');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('schedule.csv');
  expect((await textOf(await download.createReadStream())).split('\r\n')).toHaveLength(62);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as object;
  expect(copied).toMatchObject({ jsonParam: { Amount: 25_000, DeferDueDate: 0, CalculateDAE: 2 } });
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor({ state: 'detached' });
  await page.evaluate("Object.defineProperty(globalThis, 'isSecureContext', { value: false })");
  await page.evaluate(
    "document.addEventListener('copy', () => (globalThis.copied = String(getSelection())))",
  );
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  expect(await page.evaluate('copied')).toContain('/workbench/schedules?loan=');
  expect(await page.evaluate('document.activeElement.innerText')).toBe('Copied');
  expect(errors).toEqual([]);
});

/** A short first period, charges in every row, and costs at the start. */
const MORTGAGE = {
  ...LOAN,
  Amount: '250000',
  InstallmentsNo: '360',
  Currency: 'RON',
  InterestPercent: '7.25',
  ActivationDate: '2026-01-02',
  UpFrontValue: '2500',
  Insurance: [{ InsuranceName: 'Life', SourceValue: '65.32', InsurancePeriodicityType: 'Monthly' }],
};

it('the payment leads, and the first and last are exceptions, on screen and in print', async () => {
  const { page } = await openLoans([MORTGAGE]);
  await page.getByRole('button', { name: /^Regular payment: 1,77\d\.\d\d$/ }).waitFor();
  const figures = page.locator('.schedule-figures');
  await figures.getByText(/^first payment 1,\d{3}\.\d\d, last payment 1,7\d\d\.\d\d$/).waitFor();
  expect(await figures.getByText('of which 2,500.00 at the start').count()).toBe(2);
  expect(await page.getByText('differs from the DAE').count()).toBe(0);
  const rows = page.getByRole('row');
  expect(await rows.nth(1).innerText()).toMatch(/^Paid at the start\s+2,500\.00\s+2,500\.00\s*$/);
  const sum = await rows.last().innerText();
  const total = await figures.getByRole('button', { name: /^Total to repay: / }).innerText();
  expect(sum).toContain(total);
  await page.emulateMedia({ media: 'print' });
  await figures.getByText('Regular payment').waitFor();
  await page.emulateMedia({ media: 'screen' });
});

it('a result whose terms have changed is marked until the new one has arrived', async () => {
  const { page } = await openLoans([LOAN]);
  await payment(page, '517.41');
  const waiting: (() => void)[] = [];
  await page.route('**/actions/**', async (route) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await route.continue();
  });
  await page.getByLabel('Interest, % a year', { exact: true }).fill('0');
  await page.locator('.schedules-mark').getByText('Calculating…').waitFor();
  expect(await page.getByRole('button', { name: 'Print offer' }).isDisabled()).toBe(true);
  await expect.poll(() => waiting.length).toBe(2);
  for (const go of waiting) go();
  await payment(page, '421.17');
  await expect.poll(() => page.locator('.schedules-outdated').count()).toBe(0);
});

it('the form reads numbers as the page writes them, and names those that may be two, in Romanian on a phone', async () => {
  const prepaid = { Date: '2027-01-15', Amount: '5000', DecreaseInstallment: 'false' };
  const { page } = await openLoans([{ ...LOAN, Currency: 'RON', EarlyRepayments: [prepaid] }], {
    viewport: PHONE,
    locale: 'ro-RO',
  });
  await page.getByRole('rowheader', { name: 'Rambursare anticipată' }).waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Scadențare');
  await payment(page, '517,41', 'Plata obișnuită');
  const commission = page.getByRole('group', { name: 'Comisionul 1' });
  expect(await commission.getByLabel('Denumire', { exact: true }).inputValue()).toBe(
    'Account administration',
  );
  await page.getByRole('button', { name: 'Explică câmpurile' }).click();
  const amount = page.getByLabel('Suma', { exact: true }).first();
  await amount.fill('250.000 RON');
  await page.getByLabel('Dobânda, % pe an', { exact: true }).fill('7,25 %');
  await page.getByLabel('Număr de rate', { exact: true }).fill('30 de ani');
  await payment(page, '1.709,94', 'Plata obișnuită');
  await amount.fill('250,000');
  await page.getByText('„250,000” poate însemna 250000 sau 250,00; scrieți una dintre ele').first().waitFor();
  await amount.fill('250 EUR');
  await page.getByText('„250 EUR” are o unitate nepotrivită').first().waitFor();
  expect(await amount.getAttribute('aria-invalid')).toBe('true');
});

it('the form has a labelled control with help for every field of the request, and speaks of them by their labels', async () => {
  const { page } = await openLoans([{ ...LOAN, ResidualValue: '30000', BlockInstallmentNo: '2' }]);
  await page.getByRole('alert').getByText('must be sent with "Last settled due date"').waitFor();
  await page.getByRole('button', { name: 'Explain fields' }).click();
  await openAll(page);
  const texts = await page.locator('.field-error, [role=alert], .field-help > span').allInnerTexts();
  expect(texts.filter((text) => /[a-z][A-Z]/.test(text))).toEqual([]);
  expect(texts.join('\n')).toContain('Number of first installments without principal.');
  const fields = scheduleFormFields();
  for (const { name } of fields.filter(({ kind }) => kind === 'list')) {
    await page.locator(`[data-place="${name}"] > .loan-add`).click();
    await page.locator(`[data-place="${name}[0]"]`).waitFor();
  }
  await openAll(page);
  const places = fields.flatMap(({ name, items }) =>
    items === undefined ? [name] : items.map((item) => `${name}[0].${item.name}`),
  );
  const visible = await page
    .locator('[data-place]')
    .filter({ has: page.locator('.field-label:visible ~ .input:visible, .field-label:visible') })
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-place')));
  expect(visible).toEqual(expect.arrayContaining(places));
  expect(await findAccessibilityFaults(page, '.loan-form')).toEqual([]);
});

it('adds and removes rows by keyboard, which change the result once they are filled in', async () => {
  const { page } = await openLoans([LOAN]);
  await payment(page, '517.41');
  await page.getByRole('button', { name: 'Add commission' }).press('Enter');
  const added = page.getByRole('group', { name: 'Commission 2' });
  await added.getByText('Not charged until an amount or a percentage is entered').waitFor();
  expect(await added.getByLabel('Amount', { exact: true }).inputValue()).toBe('');
  await payment(page, '517.41');
  expect(await findAccessibilityFaults(page, '[data-place="Commission"]')).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  await page.getByText('Commission 1: Amount').waitFor();
  expect(await page.locator('.offer').getByText('Commission 2').count()).toBe(0);
  await page.emulateMedia({ media: 'screen' });
  await added.getByLabel('Amount', { exact: true }).fill('10');
  await payment(page, '527.41');
  await page.getByRole('button', { name: 'Add rate by instalments' }).press('Enter');
  const from = page.getByLabel('From instalment', { exact: true });
  await expect.poll(() => focusedPlace(page)).toBe('MultipleInterestRates[0].FromInstNo');
  await page.getByRole('button', { name: 'Add rate by instalments' }).press('Enter');
  await expect.poll(() => from.count()).toBe(2);
  const interval = page.getByRole('group', { name: 'Interval 2' });
  await interval.getByLabel('Interest, % a year', { exact: true }).fill('12');
  await expect
    .poll(() => page.getByRole('row').nth(13).getByRole('button').nth(2).textContent())
    .toMatch(/^2\d\d\.\d\d$/);
  // The single rate is not used any more.
  await place(page, 'InterestPercent').getByText('Changes nothing in this schedule').waitFor();
  await page.getByRole('button', { name: 'Remove Interval 2' }).press('Enter');
  await expect.poll(() => from.count()).toBe(1);
  await expect
    .poll(() => page.evaluate('document.activeElement.textContent'))
    .toBe('Add rate by instalments');
});

it('the form shows all faults at once at their fields and in rows, and leads to each', async () => {
  const { page } = await openLoans([LOAN]);
  await payment(page, '517.41');
  await openAll(page);
  await percentage(page).fill('2');
  await page.getByLabel('Holiday calendar', { exact: true }).selectOption('Other…');
  await page.getByLabel('Holiday calendar: other value').fill('Atlantis');
  await page.getByLabel('Number of instalments', { exact: true }).fill('5000');
  await place(page, 'InstallmentsNo').getByText('must be a whole number from 1 to 1,200').waitFor();
  const row = page.locator('[data-place="Commission[0].SourceValue"]');
  await row.getByText('must have exactly one of "Amount" and "or percentage"').waitFor();
  expect(await row.getByLabel('Amount', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  const alert = page.getByRole('alert');
  const links = alert.getByRole('button');
  await expect
    .poll(() => links.allTextContents())
    .toEqual(expect.arrayContaining(['Number of instalments', 'Commission 1: Amount']));
  await payment(page, '517.41');
  expect(await findAccessibilityFaults(page, '[role=alert]')).toEqual([]);
  expect(await findAccessibilityFaults(page, '[data-place="Commission"]')).toEqual([]);
  await percentage(page).fill('');
  await page.getByLabel('Number of instalments', { exact: true }).fill('60');
  await alert.getByText('Atlantis').waitFor({ state: 'detached' });
  await expect.poll(() => links.allTextContents()).toEqual(['Holiday calendar']);
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) one.removeAttribute('open');
  });
  await links.first().click();
  await expect.poll(() => focusedPlace(page)).toBe('HolidayCountry');
});

it('the form opens a group for a fault, leaves it open when it is corrected, and says at a field that it changes nothing', async () => {
  const { page } = await openLoans([{ ...LOAN, GracePeriodPrincipal: '60', CapitalPercent: '10' }]);
  const field = page.getByLabel('Instalments without principal', { exact: true });
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  await field.fill('');
  await payment(page, '517.41');
  expect(await field.isVisible()).toBe(true);
  await place(page, 'CapitalPercent').getByText('Changes nothing in this schedule').waitFor();
  await page.getByLabel('Kind of instalments', { exact: true }).selectOption('CreditCard');
  // A tenth of the balance, interest and the commission.
  await page.getByRole('button', { name: /^Highest payment: 2,68\d\.\d\d$/ }).waitFor();
  expect(await page.getByText('Changes nothing in this schedule').count()).toBe(0);
});

it('is accessible on a wide screen with all of its table, light and dark, and on a phone', async () => {
  const { page } = await openLoans([{ ...RICH_LOAN, Amount: '9000000' }]);
  await page.getByRole('button', { name: /^DAE, with insurances: \d/ }).waitFor();
  const frame = page.locator('.table-wrap').last();
  const excess = () => frame.evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(await excess()).toBe(0);
  await openAll(page);
  const faults = await findFaultsInLooks(page, 'schedules', async () => {
    await page.getByRole('heading', { level: 1, name: 'Scadențare' }).waitFor();
    expect(await excess()).toBe(0);
  });
  expect(faults).toEqual([]);
});

it('is accessible as a printed offer on several sheets, also where the page is dark', async () => {
  const { page } = await openLoans([RICH_LOAN], { viewport: { width: 700, height: 1_000 } });
  await page.getByRole('button', { name: /^DAE, with insurances: \d/ }).waitFor();
  await page.getByLabel('Theme').selectOption('dark');
  await page.emulateMedia({ media: 'print' });
  await page.getByRole('heading', { name: 'Loan offer' }).waitFor();
  await page.getByText('Commission 1: Amount').waitFor();
  expect(await page.getByRole('form', { name: 'Terms of the loan' }).count()).toBe(0);
  expect(await page.getByRole('row').last().isVisible()).toBe(true);
  const style = (selector: string, name: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`);
  expect(await style('body', 'color')).toBe('rgb(20, 32, 43)');
  expect(await style('.offer dd', 'color')).toBe('rgb(20, 32, 43)');
  expect(await style('.chart-line', 'print-color-adjust')).toBe('exact');
  // Browsers repeat a foot on each sheet, and place what follows a divided table in a grid over its rows.
  expect(await style('tfoot', 'display')).toBe('table-row-group');
  expect(await style('.stack:has(> .table-wrap)', 'display')).toBe('block');
});

it('says that the engine cannot be reached, checks fields without it, and goes on when it can', async () => {
  const { page } = await openLoans([LOAN]);
  await payment(page, '517.41');
  const interest = page.getByLabel('Interest, % a year', { exact: true });
  await page.context().setOffline(true);
  await interest.fill('0');
  await page.getByText('The engine cannot be reached').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await payment(page, '421.17');
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.context().setOffline(true);
  const amount = page.getByLabel('Amount', { exact: true }).first();
  await amount.fill('0');
  await page.getByText('must be more than 0').waitFor();
  await page.context().setOffline(false);
  // After the next change.
  await interest.fill('8.5');
  await amount.fill('25000');
  await payment(page, '517.41');
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('asks for a token, also after its dialog was closed, says that one is refused, and calculates with a valid one', async () => {
  const { page } = await openPage(`${GUARDED_URL}/workbench/schedules?${query([LOAN])}`);
  const dialog = page.getByRole('dialog', { name: 'Access token' });
  const use = async (token: string): Promise<void> => {
    await dialog.getByRole('textbox', { name: 'Access token' }).fill(token);
    await dialog.getByRole('button', { name: 'Use token' }).click();
  };
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Change token' }).click();
  await use('not a token, but ășt');
  await page.getByText('A token has no spaces').waitFor();
  await use('not-a-token');
  await page.getByRole('alert').first().waitFor();
  expect(await findAccessibilityFaults(page, 'body')).toEqual([]);
  const { authorization } = await authorize('ana');
  await use(authorization.replace('Bearer ', ''));
  await payment(page, '517.41');
  expect(await dialog.count()).toBe(0);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('Bearer $TOKEN');
  await page.getByRole('button', { name: 'Copy as Kafka message' }).click();
  await expect
    .poll(() => page.evaluate('navigator.clipboard.readText()'))
    .toContain('"topic": "bank.plat.schedule.requests.v1"');
});
