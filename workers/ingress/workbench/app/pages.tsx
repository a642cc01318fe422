import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { Failure } from './design/components.tsx';
import { t } from './design/texts.ts';

const REACH_LIMIT_MS = 5_000;

/** A page of the workbench. Its code is loaded when it is opened first. */
export interface Page {
  /** The part of the address after /workbench/. */
  readonly path: string;
  readonly name: 'schedules' | 'products' | 'portfolio' | 'messages' | 'system';
  readonly component: ComponentType;
}

/** The page that opens first. */
export const HOME: Page = {
  path: 'schedules',
  name: 'schedules',
  component: lazyPage(() => import('./schedules/schedules-page.tsx').then((page) => page.SchedulesPage)),
};

/** All pages, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  HOME,
  {
    path: 'products',
    name: 'products',
    component: lazyPage(() => import('./products/products-page.tsx').then((page) => page.ProductsPage)),
  },
  {
    path: 'portfolio',
    name: 'portfolio',
    component: lazyPage(() => import('./portfolio/portfolio-page.tsx').then((page) => page.PortfolioPage)),
  },
  {
    path: 'messages',
    name: 'messages',
    component: lazyPage(() => import('./messages/messages-page.tsx').then((page) => page.MessagesPage)),
  },
  {
    path: 'system',
    name: 'system',
    component: lazyPage(() => import('./system/system-page.tsx').then((page) => page.SystemPage)),
  },
];

/** A page whose code is loaded when it is opened first. */
function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  return lazy(() => load().catch(() => UnloadedPage));
}

function UnloadedPage() {
  return <Failure error={new Error(t('unreachable'))} onRetry={() => void reloadIfReachable()} />;
}

/** A browser does not load a script again that it could not load, except with its document; a document that cannot be loaded is lost. */
async function reloadIfReachable(): Promise<void> {
  try {
    await fetch(location.href, { signal: AbortSignal.timeout(REACH_LIMIT_MS) });
    location.reload();
  } catch {
    // What is shown is still true.
  }
}
