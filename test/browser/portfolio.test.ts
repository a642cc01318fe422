import { pathToFileURL } from 'node:url';
import { text as textOf } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PLAIN_LOAN } from '../support/builders/portfolio-lines.ts';
import { repricedPortfolio } from '../support/builders/repriced-portfolio.ts';
import {
  ENGINE_URL,
  findAccessibilityFaults,
  findFaultsInLooks,
  useBrowser,
} from '../support/browser/workbench-page.ts';
import { portfolioFolder, recalculateHere } from '../support/worlds/recalculate-process.ts';

const openPage = useBrowser();

const CONTRACTS = 100;
const FAILED = 2;
const ACTION = '**/PLAT_BP_CalculateRepaymentSchedule';
const LONG_MS = 60_000;

const openPortfolio = () => openPage(`${ENGINE_URL}/workbench/portfolio`);

async function choose(page: Page, name: string, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer });
}

async function drop(page: Page, target: string, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const { DataTransfer, File } = globalThis as unknown as Record<
        string,
        new (...args: unknown[]) => object
      >;
      const data = new DataTransfer!() as { items: { add(file: object): void } };
      data.items.add(new File!([content], fileName));
      return data;
    },
    [name, text],
  );
  await page.locator(target).dispatchEvent('drop', { dataTransfer: transfer });
}

async function downloadText(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return textOf(await download.createReadStream());
}

/** Browsers write each refusal of a call to the console. */
const isUnexpected = (error: string): boolean => !error.includes('status of 422');
const status = (page: Page) => page.getByRole('status').filter({ hasText: /of|din/ });

it(
  'recalculates a portfolio with the results of the command, on screen and on paper, as does the report of the command',
  async () => {
    const files = portfolioFolder();
    const misspelt = JSON.stringify({ id: 'x', jsonParam: { ...PLAIN_LOAN, Amout: 1 }, remark: 'none' });
    const text = `${repricedPortfolio(CONTRACTS)}${misspelt}\n`;
    const html = files.at('report.html');
    const input = files.write('loans.ndjson', text);
    const run = ['--input', input, '--summary', '--as-of', '2026-05-01', '--html', html];
    expect((await recalculateHere(run)).code).toBe(1);

    const { page, errors } = await openPortfolio();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await findFaultsInLooks(page, 'portfolio-start')).toEqual([]);
    await choose(page, 'loans.ndjson', text);
    const movers = page.getByRole('region', { name: 'Largest increases' });
    await movers.waitFor({ timeout: LONG_MS });
    expect(await movers.getByRole('row').count()).toBe(1 + 10);
    expect(await page.locator('.change-bar').count()).toBeGreaterThan(4);
    expect(await status(page).innerText()).toContain('101 of 101 contracts, 2 failed');
    // The id of a contract is markup, and stays text.
    const failures = page.getByRole('region', { name: 'First failures' });
    expect(await failures.innerText()).toContain('<img src=x onerror=alert(1)>');
    const ignored = page.getByRole('region', { name: 'Ignored fields of calculated contracts' });
    expect(await ignored.getByRole('rowheader').allInnerTexts()).toEqual(['jsonParam.Amout', 'remark']);
    const results = await page.locator('.portfolio-results').innerText();
    const faults = await findFaultsInLooks(page, 'portfolio', async () => {
      await page.getByRole('region', { name: 'Cele mai mari creșteri' }).waitFor();
      expect(await status(page).innerText()).toContain('101 din 101');
      await page.getByRole('region', { name: 'Primele erori' }).waitFor();
    });
    expect(faults).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(errors.filter(isUnexpected)).toEqual([]);
    await expectReport(pathToFileURL(html).href, results);
  },
  2 * LONG_MS,
);

it('takes a dropped CSV, and lists the lines that fail with their faults', async () => {
  const { page, errors } = await openPortfolio();
  const lines = [
    'id;ScheduleType;ProductType;InterestPercent;Amount;InstallmentsNo;PeriodicityType;InstallmentDay;ActivationDate',
    'good;EqualInstallments;TL;7;100;6;Monthly;1;2024-01-01',
    'bad;EqualInstallments;TL;7;-1;6;Monthly;1;2024-01-01',
    'short;EqualInstallments',
  ];
  await page.evaluate("addEventListener('drop', (event) => (document.title = event.defaultPrevented))");
  await drop(page, 'body', 'beside.csv', lines.join('\n'));
  expect(await page.title()).toBe('true');
  expect(await page.getByRole('heading', { name: 'Drop a file here' }).count()).toBe(1);
  await drop(page, '.empty', 'contracts.csv', lines.join('\r\n'));
  const failures = page.getByRole('region', { name: 'First failures' });
  await failures.waitFor();
  const rows = await failures.getByRole('row').allInnerTexts();
  expect(rows.slice(1).map((row) => row.split('\t').slice(0, 3))).toEqual([
    ['bad', '3', 'not-computable'],
    ['not readable', '4', 'invalid-request'],
  ]);
  expect(rows[1]).toContain('jsonParam.Amount');
  expect(rows[2]).toContain('has 2 cells; must have 9, one for each column');
  expect(await page.getByText('nothing to compare').count()).toBe(1);
  const csv = await downloadText(page, 'Failures as CSV');
  const cells = csv.split('\r\n').map((line) => line.split(',').slice(0, 2).join());
  expect(cells).toEqual(['id,line', '"bad",3', ',4', '']);
  expect(errors.filter(isUnexpected)).toEqual([]);
});

it('refuses a file with its reason, and reads an export of a spreadsheet as the user says', async () => {
  const { page, errors } = await openPortfolio();
  const fault = page.getByRole('alert');
  await choose(page, 'a.csv', '\n');
  await expect.poll(() => fault.innerText()).toBe('The file contains no contracts.');
  await choose(page, 'a.ndjson', '{"id":"a","jsonParam":{}}\n'.repeat(10_001));
  await expect
    .poll(() => fault.innerText())
    .toContain('The file has 10,001 contracts; this page takes at most 10,000.');
  expect(await fault.innerText()).toContain('npm run recalculate has no limit');
  await choose(page, 'a.csv', 'Amout,Amount\n1,2\n');
  await expect.poll(() => fault.innerText()).toMatch(/^Unknown columns: Amout\. .* There is no column id/);
  await choose(page, 'a.ndjson.gz', 'x');
  await expect.poll(() => fault.innerText()).toContain('This page does not read compressed files');
  expect(await page.getByRole('heading', { name: 'Drop a file here' }).count()).toBe(1);
  const lines = [
    '\uFEFFid;ScheduleType;ProductType;InterestPercent;Amount;InstallmentsNo;PeriodicityType;InstallmentDay;ActivationDate;Observații;',
    'c-1;EqualInstallments;TL;7;1.000;6;Monthly;1;24.06.2026;x;',
  ];
  await choose(page, 'loans.csv', lines.join('\r\n'));
  await page.getByText('Unknown columns: Observații').waitFor();
  await page.getByRole('button', { name: 'Read without these columns' }).click();
  await page.getByText('Numbers have two readings: 1.000 (line 2, column Amount)').waitFor();
  expect(await findAccessibilityFaults(page, 'main')).toEqual([]);
  await page.getByRole('button', { name: 'Decimal comma' }).click();
  await page.getByText('1 of 1 contracts').waitFor();
  expect(await downloadText(page, 'Results as CSV')).toContain('"c-1",2,,6,1000.00,');
  await page.getByRole('button', { name: 'Another file' }).click();
  await choose(page, 'loans.csv', 'PK\u0003\u0004');
  await page.getByText('This is a workbook such as .xlsx').waitFor();
  expect(errors).toEqual([]);
});

it(
  'keeps what is calculated when it is stopped, and continues with the rest, also while another page is open',
  async () => {
    const { page } = await openPortfolio();
    let calls = 0;
    const held: (() => void)[] = [];
    let isHeld = true;
    await page.route(ACTION, async (route) => {
      calls += 1;
      if (isHeld && calls > CONTRACTS / 5) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await choose(page, 'loans.ndjson', repricedPortfolio(CONTRACTS));
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped: the report contains').waitFor();
    expect(calls).toBeLessThan(CONTRACTS);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
    expect(calls).toBeLessThan(CONTRACTS);
    isHeld = false;
    for (const release of held) release();
    await expect.poll(() => calls, { timeout: LONG_MS }).toBeGreaterThan(CONTRACTS / 2);
    await page.getByRole('link', { name: 'Portfolio' }).click();
    await page.getByText(`${CONTRACTS} of ${CONTRACTS} contracts`).waitFor({ timeout: LONG_MS });
    const csv = await downloadText(page, 'Results as CSV');
    const ids = csv.trimEnd().split('\r\n').slice(1);
    expect(new Set(ids).size).toBe(CONTRACTS - FAILED);
    await page.getByRole('button', { name: 'Another file' }).click();
    expect(await page.getByRole('heading', { name: 'Drop a file here' }).isVisible()).toBe(true);
  },
  LONG_MS,
);

it(
  'repeats calls while the engine is away, keeps results when the token has no permission, and continues',
  async () => {
    const { page } = await openPortfolio();
    let isAway = true;
    await page.route(ACTION, (route) => (isAway ? route.abort('connectionrefused') : route.continue()));
    await page.getByRole('button', { name: 'Try three example contracts' }).click();
    await expect.poll(() => status(page).innerText()).toBe('0 of 3 contracts');
    isAway = false;
    await page.getByRole('region', { name: 'Largest increases' }).waitFor();
    expect(await status(page).innerText()).toBe('3 of 3 contracts');
    await page.unroute(ACTION);
    await page.getByRole('button', { name: 'Another file' }).click();
    let calls = 0;
    await page.route(ACTION, (route) => {
      calls += 1;
      if (calls <= CONTRACTS / 2) return route.continue();
      const problem = { title: 'The caller may not do this', status: 403, code: 'forbidden' };
      return route.fulfill({ status: 403, contentType: 'application/problem+json', json: problem });
    });
    await choose(page, 'loans.ndjson', repricedPortfolio(CONTRACTS));
    await page.getByRole('alert').waitFor({ timeout: LONG_MS });
    await page.getByRole('heading', { name: 'Change of the payment' }).waitFor();
    expect(await page.getByText('They are kept').count()).toBe(1);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.unroute(ACTION);
    await page.getByRole('alert').getByRole('button').click();
    await page.getByText(`${CONTRACTS} of ${CONTRACTS} contracts`).waitFor({ timeout: LONG_MS });
    expect(await page.getByRole('alert').count()).toBe(0);
  },
  LONG_MS,
);

async function expectReport(address: string, results: string): Promise<void> {
  const { page, errors } = await openPage('about:blank', { offline: true });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  expect(requests).toEqual([address]);
  expect(await page.locator('script').count()).toBe(0);
  await page.getByRole('heading', { name: 'Recalculation of loans.ndjson' }).waitFor();
  const box = await page.locator('.change-bar rect').first().boundingBox();
  expect(box?.height).toBeGreaterThan(0);
  expect(await page.locator('.portfolio-results').innerText()).toBe(results);
  expect(await findFaultsInLooks(page, 'report')).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  expect(await findAccessibilityFaults(page)).toEqual([]);
  expect(errors).toEqual([]);
}
