import { expect, it } from 'vitest';
import { ENGINE_URL, PHONE, useBrowser } from '../support/browser/workbench-page.ts';

const openPage = useBrowser();

it('opens at the address that the start prints, leads to every page, and keeps the language', async () => {
  const { page, errors } = await openPage(ENGINE_URL);
  expect(new URL(page.url()).pathname).toBe('/workbench');
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  expect(await page.title()).toBe('Schedules · Workbench');
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  for (const name of ['Products', 'Portfolio', 'Messages', 'System', 'Schedules']) {
    await links.filter({ hasText: name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
  }
  await page.setViewportSize(PHONE);
  const ends = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().right));
  expect(ends).toHaveLength(6);
  expect(Math.max(...ends)).toBeLessThanOrEqual(PHONE.width);
  await page.getByLabel('Language').selectOption('ro');
  await page.getByRole('link', { name: 'Scadențare' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Scadențare' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('ro');
  expect(errors).toEqual([]);
});

it('says that an address does not exist, and writes amounts where the device names a language that is none', async () => {
  const { page, errors } = await openPage('about:blank');
  await page.addInitScript("Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] })");
  await page.goto(`${ENGINE_URL}/workbench/nowhere`);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  const home = page.getByRole('link', { name: 'Go to the schedules' });
  expect(await home.getAttribute('href')).toBe('/workbench');
  await home.click();
  await page.getByRole('button', { name: /^Regular payment: \d{3}\.\d\d$/ }).waitFor();
  expect(errors).toEqual([]);
});
