import { describe, expect, it } from 'vitest';
import {
  ENGINE_URL,
  findAccessibilityFaults,
  useBrowser,
  takePicture,
  LOOKS,
  PHONE,
} from '../support/browser/workbench-page.ts';

const openPage = useBrowser();

describe('the frame of the workbench', () => {
  it('opens at the address that the start prints', async () => {
    const { page, errors } = await openPage(ENGINE_URL);
    expect(new URL(page.url()).pathname).toBe('/workbench');
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    expect(await page.title()).toBe('Schedules · Workbench');
    expect(errors).toEqual([]);
  });

  it.each(['Schedules', 'Products', 'Portfolio', 'Messages', 'System'])('opens the page %s', async (name) => {
    const { page, errors } = await openPage(`${ENGINE_URL}/workbench`);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    expect(errors).toEqual([]);
  });

  it('speaks Romanian and keeps the choice', async () => {
    const { page } = await openPage(`${ENGINE_URL}/workbench`);
    await page.getByLabel('Language').selectOption('ro');
    await page.getByRole('link', { name: 'Scadențare' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Scadențare' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ro');
  });

  it.each(LOOKS)('is accessible: %s', async (name, options) => {
    const { page } = await openPage(`${ENGINE_URL}/workbench`, options);
    await page.getByRole('button', { name: /^Regular payment: / }).waitFor();
    expect(await findAccessibilityFaults(page, name)).toEqual([]);
    await takePicture(page, `shell-${name}`);
  });

  it('shows all pages on a phone', async () => {
    const { page } = await openPage(`${ENGINE_URL}/workbench`, { viewport: PHONE });
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await links.first().waitFor();
    const ends = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().right));
    expect(ends).toHaveLength(6);
    expect(Math.max(...ends)).toBeLessThanOrEqual(PHONE.width);
  });

  it('writes amounts where the device names a language that is none', async () => {
    const { page, errors } = await openPage(`${ENGINE_URL}/workbench/nowhere`);
    await page.addInitScript("Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] })");
    await page.goto(`${ENGINE_URL}/workbench`);
    await page.getByRole('button', { name: /^Regular payment: \d{3}\.\d\d$/ }).waitFor();
    expect(errors).toEqual([]);
  });

  it('says that an address does not exist', async () => {
    const { page } = await openPage(`${ENGINE_URL}/workbench/nowhere`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.getByRole('link', { name: 'Go to the schedules' }).getAttribute('href')).toBe(
      '/workbench',
    );
  });
});
