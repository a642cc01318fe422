import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';

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
  component: lazy(() => import('./schedules/schedules-room.tsx').then((room) => room.SchedulesRoom)),
};

/** All rooms, in the order of the navigation. */
export const ROOMS: readonly Room[] = [
  HOME,
  {
    path: 'products',
    name: 'products',
    component: lazy(() => import('./products/products-room.tsx').then((room) => room.ProductsRoom)),
  },
  {
    path: 'portfolio',
    name: 'portfolio',
    component: lazy(() => import('./portfolio/portfolio-room.tsx').then((room) => room.PortfolioRoom)),
  },
  {
    path: 'messages',
    name: 'messages',
    component: lazy(() => import('./messages/messages-room.tsx').then((room) => room.MessagesRoom)),
  },
  {
    path: 'system',
    name: 'system',
    component: lazy(() => import('./system/system-room.tsx').then((room) => room.SystemRoom)),
  },
];
