/** The workbench in a real browser: pages, their faults, and pictures of them. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { startEngine, type EngineProcess } from '../worlds/engine-process.ts';

const ACTION_LIMIT_MS = 15_000;
const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { SCREENSHOTS } = process.env;

export const DESKTOP = { width: 1_440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** The appearances in which every page is checked, with their names. */
export const LOOKS = [
  ['light', { colorScheme: 'light' as const }],
  ['dark', { colorScheme: 'dark' as const }],
  ['phone', { viewport: PHONE }],
] as const;

async function startBrowser(): Promise<Browser> {
  const folder = inject('browserFolder');
  return chromium.launch({
    executablePath: path.join(folder, 'chromium'),
    args: ['--no-sandbox', '--font-render-hinting=none', '--hide-scrollbars'],
    env: {
      ...process.env,
      FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
      // Used where the machine has no library of that name.
      LD_LIBRARY_PATH: [process.env['LD_LIBRARY_PATH'], path.join(folder, 'al2023', 'lib')]
        .filter((part) => part !== undefined && part !== '')
        .join(':'),
    },
  });
}

export interface WorkbenchPage {
  readonly page: Page;
  /** Errors that the page threw or wrote to the console; expected ones are removed by the test that causes them. */
  readonly errors: string[];
}

/** Opens an address, such as that of `/workbench/schedules`, in a window of its own, which is closed with the test. */
type OpenPage = (address: string, options?: BrowserContextOptions) => Promise<WorkbenchPage>;

/** Starts a browser for the tests of a file, and closes it after them. */
export function useBrowser(): OpenPage {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  return async (address, options = {}) => {
    if (browser === undefined) throw new Error('pages are opened in tests, after the browser has started');
    return openPage(browser, address, options);
  };
}

/** Starts an engine with its embedded broker and these settings for the tests of a file, and ends it after them. */
export function useEngine(settings: Readonly<Record<string, string>> = {}): Pick<EngineProcess, 'url'> {
  let engine: EngineProcess | undefined;
  beforeAll(async () => {
    engine = await startEngine([], { PORT: '0', ...settings });
  });
  afterAll(async () => void (await engine?.end('SIGTERM')));
  return {
    get url() {
      if (engine === undefined) throw new Error('the engine has an address in tests, after it has started');
      return engine.url;
    },
  };
}

async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
): Promise<WorkbenchPage> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    locale: 'en-GB',
    timezoneId: 'Europe/Bucharest',
    reducedMotion: 'reduce',
    ...options,
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(ACTION_LIMIT_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(address);
  return { page, errors };
}

/** The findings of axe-core on the page as it is now, one line each: rule, and the first element. */
export async function findAccessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE_SOURCE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html ?? ''}`);
  });
}

/** Writes a picture to the folder of SCREENSHOTS, if it is set: to look at, not to compare. */
export async function takePicture(page: Page, name: string, fullPage = true): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage });
}
