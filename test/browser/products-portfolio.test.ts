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
