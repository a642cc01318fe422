import { describe, expect, it } from 'vitest';
import {
  findAccessibilityFaults,
  PHONE,
  useBrowser,
  useEngine,
  takePicture,
  LOOKS,
} from '../support/browser/workbench-page.ts';

/** 25,000 over 60 months at 8.5 % with a commission, from a fixed day. */
const LOAN = {
  Amount: '25000',
  InstallmentsNo: '60',
  ScheduleType: 'EqualInstallments',
  PeriodicityType: 'Monthly',
  Currency: 'EUR',
  InterestPercent: '8.5',
  ActivationDate: '2026-01-01',
  InstallmentDay: '1',
  commissions: [
    { name: 'Account administration', amount: '4.5', unit: 'value', periodicity: 'Monthly', date: '' },
  ],
};
const addressOf = (...loans: readonly object[]): string =>
  `${engine.url}/workbench/schedules?${loans.map((loan) => `loan=${encodeURIComponent(JSON.stringify(loan))}`).join('&')}`;

const engine = useEngine();
const openPage = useBrowser();

describe('the room for schedules', () => {
  it('follows the loan while it is entered, and keeps it in the address', async () => {
    const { page, errors } = await openPage(addressOf(LOAN));
    await page.getByText('517.41').first().waitFor();
    await page.getByLabel('Interest, % a year', { exact: true }).fill('0');
    await page.getByText('421.17').first().waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('loan')).toContain('"InterestPercent":"0"');
    await page.reload();
    await page.getByText('421.17').first().waitFor();
    expect(errors).toEqual([]);
  });

  it('explains a figure', async () => {
    const { page } = await openPage(addressOf(LOAN));
    await page.getByRole('button', { name: '177.08' }).click();
    const dialog = page.getByRole('dialog', { name: 'How instalment 1 is calculated' });
    expect(await dialog.locator('code').textContent()).toBe('25000.00 * 8.5 % * 30/360 = 177.08');
    await takePicture(page, 'explanation', false);
  });

  it('compares variants', async () => {
    const { page } = await openPage(addressOf(LOAN));
    await page.getByRole('button', { name: 'Compare with a variant' }).click();
    await page.getByLabel('Number of instalments', { exact: true }).fill('48');
    const table = page.getByRole('region', { name: 'Comparison of the variants' });
    await table.getByText('−12 against A').waitFor();
    await takePicture(page, 'variants');
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });

  it('shows each fault at its field and keeps the last schedule', async () => {
    const { page } = await openPage(addressOf(LOAN));
    await page.getByText('517.41').first().waitFor();
    await page.getByLabel('Number of instalments', { exact: true }).fill('5000');
    await page.getByText('must be a whole number from 1 to 1200').waitFor();
    const field = page.getByLabel('Number of instalments', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('517.41').first().waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, 'fault');
  });

  it('opens a group for a fault, and leaves it open when the fault is corrected', async () => {
    const { page } = await openPage(addressOf({ ...LOAN, GracePeriodPrincipal: '60' }));
    const field = page.getByLabel('Instalments without principal');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('');
    await page.getByText('517.41').first().waitFor();
    expect(await field.isVisible()).toBe(true);
  });

  it('shows an extra payment in Romanian, accessible on a phone', async () => {
    const early = { date: '2027-01-15', amount: '5000', keepsTerm: false };
    const address = addressOf({ ...LOAN, extraPayments: [early] });
    const { page } = await openPage(address, { viewport: PHONE, locale: 'ro-RO' });
    await page.getByRole('rowheader', { name: 'Rambursare anticipată' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Scadențare');
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, 'extra-payment-romanian');
  });

  it('saves the rows as CSV', async () => {
    const { page } = await openPage(addressOf(LOAN));
    await page.getByText('517.41').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('schedule.csv');
  });

  it.each(LOOKS)('is accessible: %s', async (name, options) => {
    const { page } = await openPage(addressOf(LOAN), options);
    await page.getByText('517.41').first().waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, name);
    if (name === 'light') {
      await takePicture(page, 'workbench-schedules', false);
      await page.emulateMedia({ media: 'print' });
      await takePicture(page, 'print');
    }
  });

  it('says that the engine cannot be reached, and goes on when it can', async () => {
    const { page } = await openPage(addressOf(LOAN));
    await page.getByText('517.41').first().waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Interest, % a year', { exact: true }).fill('0');
    await page.getByText('The engine cannot be reached').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('421.17').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
