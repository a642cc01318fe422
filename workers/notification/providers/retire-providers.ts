import type { Provider } from '../../../shared/notification/provider.ts';

export interface Retirement {
  add(providers: readonly Provider[]): void;
  /** Closes at once what still waits, and waits for it. */
  closeAll(): Promise<void>;
}

/** Providers that were replaced: they are closed when no round of delivery can hold them any more. */
export function createRetirement(afterMs: number): Retirement {
  const waiting = new Set<Provider>();
  return {
    add: (providers) => {
      for (const provider of providers) {
        waiting.add(provider);
        const timer = setTimeout(() => {
          if (waiting.delete(provider)) provider.close().catch(() => undefined);
        }, afterMs);
        timer.unref();
      }
    },
    closeAll: async () => {
      const providers = [...waiting];
      waiting.clear();
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}
