import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { Failure } from './design/components.tsx';
import { t } from './design/texts.ts';

const REACH_LIMIT_MS = 5_000;

/** A room of the workbench. Its code is loaded when it is opened first. */
export interface Room {
  /** The part of the address after /workbench/. */
  readonly path: string;
  readonly name: 'schedules' | 'products' | 'portfolio' | 'messages' | 'system';
  readonly component: ComponentType;
}

/** The room that opens first. */
export const HOME: Room = {
  path: 'schedules',
  name: 'schedules',
  component: lazyRoom(() => import('./schedules/schedules-room.tsx').then((room) => room.SchedulesRoom)),
};

/** All rooms, in the order of the navigation. */
export const ROOMS: readonly Room[] = [
  HOME,
  {
    path: 'products',
    name: 'products',
    component: lazyRoom(() => import('./products/products-room.tsx').then((room) => room.ProductsRoom)),
  },
  {
    path: 'portfolio',
    name: 'portfolio',
    component: lazyRoom(() => import('./portfolio/portfolio-room.tsx').then((room) => room.PortfolioRoom)),
  },
  {
    path: 'messages',
    name: 'messages',
    component: lazyRoom(() => import('./messages/messages-room.tsx').then((room) => room.MessagesRoom)),
  },
  {
    path: 'system',
    name: 'system',
    component: lazyRoom(() => import('./system/system-room.tsx').then((room) => room.SystemRoom)),
  },
];

/** A room whose code is loaded when it is opened first. */
function lazyRoom(load: () => Promise<ComponentType>): ComponentType {
  return lazy(() => load().catch(() => UnloadedRoom));
}

function UnloadedRoom() {
  return <Failure error={new Error(t('unreachable'))} onRetry={() => void reloadIfReachable()} />;
}

/** A browser does not load a script again that it could not load, except with its page; a page that cannot be loaded is lost. */
async function reloadIfReachable(): Promise<void> {
  try {
    await fetch(location.href, { signal: AbortSignal.timeout(REACH_LIMIT_MS) });
    location.reload();
  } catch {
    // What is shown is still true.
  }
}
