/** The workbench in a real browser: pages, their faults, and pictures of them. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';

const ACTION_LIMIT_MS = 15_000;
const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { SCREENSHOTS } = process.env;

export const DESKTOP = { width: 1_440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface WorkbenchPage {
  readonly page: Page;
  /** Errors that the page threw or wrote to the console; expected ones are removed by the test that causes them. */
  readonly errors: string[];
}

/** Opens an address, such as that of `/workbench/schedules`, in a window of its own, which is closed with the test. */
type OpenPage = (address: string, options?: BrowserContextOptions) => Promise<WorkbenchPage>;

/** The address of the engine of this level, which has its embedded broker and no limit of calls. */
export const ENGINE_URL = inject('engineUrl');
/** That of one that asks for tokens, with another topic prefix. */
export const GUARDED_URL = inject('guardedUrl');

/** Connects the tests of a file to the browser of this level. */
export function useBrowser(): OpenPage {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.connect(inject('browserEndpoint'));
  });
  afterAll(() => browser?.close());
  return async (address, options = {}) => {
    if (browser === undefined) throw new Error('pages are opened in tests, after the browser has started');
    return openPage(browser, address, options);
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

/** Until then the page has the colours and the size that it had. */
const PAINTED = `(async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
})()`;

/** The findings of axe-core on the page as it is now, or on a part of it, one line each: rule, and the first element. */
export async function findAccessibilityFaults(page: Page, part = 'html'): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE_SOURCE);
  return violations(page, part, {});
}

const COLOURS = 'color-contrast';

/**
 * The findings in each look of an English page: on a wide screen, light and dark, and on a phone in Romanian, whose longer words
 * meet the smaller screen, which they must not exceed. In the dark only colours are different, on the phone everything but colours.
 * `inRomanian` expects texts.
 */
export async function findFaultsInLooks(
  page: Page,
  picture: string,
  inRomanian: () => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  await page.setViewportSize(DESKTOP);
  const faults = await findAccessibilityFaults(page);
  await takePicture(page, `${picture}-light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(PAINTED);
  const inTheDark = await violations(page, 'html', { runOnly: [COLOURS] });
  await page.emulateMedia({ colorScheme: 'light' });
  const language = page.getByRole('combobox', { name: /^Language$|^Limbă$/ });
  const hasLanguages = new URL(page.url()).pathname.startsWith('/workbench');
  if (hasLanguages) await language.selectOption('ro');
  await inRomanian();
  const onPhone = await findFaultsOnPhone(page);
  await takePicture(page, `${picture}-phone`);
  await page.setViewportSize(DESKTOP);
  if (hasLanguages) await language.selectOption('en');
  return [
    ...faults,
    ...inTheDark.map((fault) => `dark: ${fault}`),
    ...onPhone.map((fault) => `phone: ${fault}`),
  ];
}

async function findFaultsOnPhone(page: Page): Promise<readonly string[]> {
  await page.setViewportSize(PHONE);
  await page.evaluate(PAINTED);
  const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const faults = await violations(page, 'html', { rules: { [COLOURS]: { enabled: false } } });
  return excess > 0 ? [`${excess} pixels too wide`, ...faults] : faults;
}

function violations(page: Page, part: string, options: object): Promise<readonly string[]> {
  return page.evaluate(
    async ([within, given]) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            where: string,
            how: object,
          ): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>;
        };
      };
      const found = await axe.run(within, given);
      return found.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html ?? ''}`);
    },
    // Otherwise axe-core describes each element that passes, which takes most of its time.
    [part, { resultTypes: ['violations'], ...options }] as const,
  );
}

/** Writes a picture to the folder of SCREENSHOTS, if it is set: to look at, not to compare. */
export async function takePicture(page: Page, name: string, fullPage = true): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage });
}
