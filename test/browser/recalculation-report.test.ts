import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import {
  findAccessibilityFaults,
  LOOKS,
  takePicture,
  useBrowser,
} from '../support/browser/workbench-page.ts';
import { repricedPortfolio } from '../support/builders/repriced-portfolio.ts';
import { portfolioFolder, recalculateHere } from '../support/worlds/recalculate-process.ts';

/** The command is a process of its own, which takes seconds to start on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const openPage = useBrowser();

/** A report of contracts that change, stay and fail, one of them with markup as its id. */
async function writeReport(): Promise<string> {
  const files = portfolioFolder();
  const input = files.write('retail-loans.ndjson', repricedPortfolio(1_500));
  const html = files.at('report.html');
  const { code } = await recalculateHere([
    '--input',
    input,
    '--summary',
    '--as-of',
    '2026-05-01',
    '--html',
    html,
  ]);
  expect(code).toBe(1);
  return pathToFileURL(html).href;
}

describe('the report of a recalculation', () => {
  it('opens from disk in light and dark, on a phone and on paper, without script, network or accessibility faults', async () => {
    const address = await writeReport();
    for (const [name, options] of [...LOOKS, ['print', {}] as const]) {
      const { page, errors } = await openPage('about:blank', { offline: true, ...options });
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      if (name === 'print') await page.emulateMedia({ media: 'print' });
      await page.goto(address);
      expect(requests).toEqual([address]);
      expect(await page.locator('script').count()).toBe(0);
      await page.getByRole('heading', { name: 'Recalculation of retail-loans.ndjson' }).waitFor();
      const charts = page.getByRole('img', { name: /^Distribution: [\d,]+ contracts lower/ });
      expect(await charts.count()).toBe(2);
      const box = await charts.first().locator('rect').first().boundingBox();
      expect(box?.height).toBeGreaterThan(0);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(width).toBeLessThanOrEqual(0);
      expect(await findAccessibilityFaults(page, name)).toEqual([]);
      await takePicture(page, `report-${name}`);
      expect(errors).toEqual([]);
    }
  });
});
