import { ProductDirectory } from './product-directory.ts';
import type { Broker, BrokerAdmin } from '../../../shared/messaging/ports.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { sleep } from '../../../shared/platform/timers.ts';
import type { IngressContext } from '../server/context.ts';

export interface OnDemandCatalogueDeps extends Pick<
  IngressContext,
  'codec' | 'log' | 'monotonic' | 'timers'
> {
  readonly broker: Pick<Broker, 'createTail'> & { readonly admin: Pick<BrokerAdmin, 'partitionCounts'> };
  readonly options: Pick<IngressContext['options'], 'topicPrefix'>;
}

/** The catalogue in memory, once an operator has asked for it. */
export interface OnDemandCatalogue {
  /**
   * The directory, when the whole topic has been read: by the first call, which may wait for 10 s. `absent`: the topic does not
   * exist. `reading`: it takes longer; the next call waits further. Rejects with the errors of the broker.
   */
  directory(): Promise<ProductDirectory | 'absent' | 'reading'>;
  /** Stops reading. Calls that wait are rejected. */
  stop(): Promise<void>;
}

/** A call waits so long for the first read: less than callers do. */
const WAIT_MS = 10_000;
/** 256 MiB, the most that is kept, at 4 MiB a second. */
const READ_LIMIT_MS = 64_000;
const STOP_MS = 2_000;

/** Reads the catalogue topic on the first call, and follows it from then on: 65 MiB for ten thousand products. */
export function createOnDemandCatalogue(deps: OnDemandCatalogueDeps): OnDemandCatalogue {
  const { timers } = deps;
  let current: OpenedDirectory | undefined;
  const open = (): OpenedDirectory => {
    const opened = openDirectory(deps);
    void forgetUnusable(opened);
    return opened;
  };
  // The next call tries again, whether a call was still waiting or not.
  const forgetUnusable = async (opened: OpenedDirectory): Promise<void> => {
    const directory = await opened.directory.catch(() => undefined);
    if (!(directory instanceof ProductDirectory) && current === opened) current = undefined;
  };
  return {
    directory: async () => {
      current ??= open();
      const waiting = new AbortController();
      const tooLong = sleep(timers, WAIT_MS, waiting.signal).then(() => 'reading' as const);
      try {
        return await Promise.race([current.directory, tooLong]);
      } finally {
        waiting.abort();
      }
    },
    stop: async () => {
      const stopped = current;
      current = undefined;
      await stopped?.stop();
    },
  };
}

interface OpenedDirectory {
  readonly directory: Promise<ProductDirectory | 'absent'>;
  stop(): Promise<void>;
}

function openDirectory({ broker, options, ...context }: OnDemandCatalogueDeps): OpenedDirectory {
  const topic = topicName(options.topicPrefix, 'catalogueRecords');
  const limits = { clientId: 'ingress-catalogue', catchUpTimeoutMs: READ_LIMIT_MS };
  const directory = new ProductDirectory({ ...context, ...limits, broker, topic });
  const open = async (): Promise<ProductDirectory | 'absent'> => {
    const counts = await broker.admin.partitionCounts([topic]);
    if (!counts.has(topic)) return 'absent';
    try {
      await directory.start();
      return directory;
    } catch (error) {
      await directory.stop(0);
      throw error;
    }
  };
  return { directory: open(), stop: () => directory.stop(STOP_MS) };
}
