import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findAccessibilityFaults,
  openPage,
  PHONE,
  startBrowser,
  takePicture,
} from '../support/browser/workbench-page.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';

let engine: EngineProcess;
let browser: Browser;

beforeAll(async () => {
  [engine, browser] = await Promise.all([startEngine([], { PORT: '0' }), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await engine?.end('SIGTERM');
});

describe('the frame of the workbench', () => {
  it('opens at the address that the start prints', async () => {
    const { page, errors } = await openPage(browser, engine.url);
    expect(new URL(page.url()).pathname).toBe('/workbench');
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    expect(await page.title()).toBe('Schedules · Workbench');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it.each(['Schedules', 'Products', 'Portfolio', 'Messages', 'System'])('opens the room %s', async (name) => {
    const { page, errors } = await openPage(browser, `${engine.url}/workbench`);
    await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('speaks Romanian and keeps the choice', async () => {
    const { page } = await openPage(browser, `${engine.url}/workbench`);
    await page.getByLabel('Language').selectOption('ro');
    await page.getByRole('link', { name: 'Scadențare' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Scadențare' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ro');
    await page.context().close();
  });

  it.each([
    ['light', { colorScheme: 'light' as const }],
    ['dark', { colorScheme: 'dark' as const }],
    ['phone', { viewport: PHONE }],
  ])('is accessible: %s', async (name, options) => {
    const { page } = await openPage(browser, `${engine.url}/workbench`, options);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await takePicture(page, `shell-${name}`);
    await page.context().close();
  });

  it('says that an address does not exist', async () => {
    const { page } = await openPage(browser, `${engine.url}/workbench/nowhere`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.getByRole('link', { name: 'Go to the schedules' }).getAttribute('href')).toBe(
      '/workbench',
    );
    await page.context().close();
  });
});
