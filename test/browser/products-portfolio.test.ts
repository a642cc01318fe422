import { describe, expect, it } from 'vitest';
import {
  findAccessibilityFaults,
  useBrowser,
  useEngine,
  takePicture,
  LOOKS,
} from '../support/browser/workbench-page.ts';

const engine = useEngine();
const openPage = useBrowser();

describe('the room of products', () => {
  it.each(LOOKS)('shows a product and simulates an offer, accessibly: %s', async (name, options) => {
    const { page, errors } = await openPage(`${engine.url}/workbench/products`, options);
    await page.getByRole('heading', { name: /Personal loan/ }).waitFor();
    await page.getByLabel('Amount').fill('10000');
    await page.getByLabel('Number of periods').fill('12');
    await page.getByRole('button', { name: 'Simulate' }).click();
    const offers = page.getByRole('region', { name: 'Offers that fit' });
    await offers.waitFor();
    expect(await offers.innerText()).toContain('10,516.12');
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, `products-${name}`);
    expect(errors).toEqual([]);
  });

  it('opens another product by its code and explains an unknown one', async () => {
    const { page } = await openPage(`${engine.url}/workbench/products`);
    await page.getByLabel('Product code').fill('MG-HOME');
    await page.getByRole('button', { name: 'Show product' }).click();
    await page.getByText('MG-HOME', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/workbench/products/MG-HOME');
    await page.getByLabel('Product code').fill('XX');
    await page.getByRole('button', { name: 'Show product' }).click();
    await page.getByText('There is no such product').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/roductCode: must be the code of a product/);
  });

  it('shows the bands of an interest by utilised amount', async () => {
    const { page, errors } = await openPage(`${engine.url}/workbench/products/OD-CURRENT`);
    await page.getByText('Overdraft to 1000: 10 %').waitFor();
    expect(errors).toEqual([]);
  });

  it('shows faults beside the fields of a simulation', async () => {
    const { page } = await openPage(`${engine.url}/workbench/products`);
    await page.getByLabel('Amount').fill('-1');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true');
  });
});

describe('the room of portfolios', () => {
  it.each(LOOKS)('recalculates and compares the example, accessibly: %s', async (name, options) => {
    const { page, errors } = await openPage(`${engine.url}/workbench/portfolio`, options);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try three example contracts' }).click();
    await page.getByRole('region', { name: 'Largest changes' }).waitFor();
    expect(await page.getByText('3 of 3 contracts').count()).toBe(1);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, `portfolio-${name}`);
    expect(errors).toEqual([]);
  });

  it('lists the contracts of a file that fail, with their faults', async () => {
    const { page } = await openPage(`${engine.url}/workbench/portfolio`);
    const good = {
      ScheduleType: 'EqualInstallments',
      ProductType: 'TL',
      InterestPercent: 7,
      Amount: 100,
      InstallmentsNo: 6,
      PeriodicityType: 'Monthly',
      InstallmentDay: 1,
      ActivationDate: '2024-01-01',
    };
    const lines = [
      { id: 'good', jsonParam: good },
      { id: 'bad', jsonParam: { ...good, Amount: -1 } },
    ];
    const buffer = Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n`);
    await page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'contracts.ndjson', mimeType: 'application/x-ndjson', buffer });
    const failures = page.getByRole('region', { name: 'Failures' });
    await expect.poll(() => failures.innerText()).toContain('jsonParam.Amount');
    expect(await failures.getByRole('row').count()).toBe(3);
    expect(await page.getByText('no contract of the file', { exact: false }).count()).toBe(1);
  });

  it('refuses a file without contracts', async () => {
    const { page } = await openPage(`${engine.url}/workbench/portfolio`);
    const buffer = Buffer.from('\n');
    await page.getByLabel('Choose a file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await page.getByText('The file contains no contracts.').waitFor();
    expect(await page.getByRole('heading', { name: 'Drop a file here' }).count()).toBe(1);
  });
});
