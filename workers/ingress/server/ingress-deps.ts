import type { CalculationThreads } from '../../runtime/calculation-threads.ts';
import type { Codec } from '../../../shared/messaging/codec.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import type { CancellableRequests, RequestReply } from '../../../shared/messaging/requester/request-reply.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { Access } from '../access/access.ts';
import type { ActionRegistry } from '../actions/action-contract.ts';
import type { Documents } from './documents.ts';
import type { IngressOptions } from './ingress-options.ts';
import type { ChannelProfiles } from '../notifications/channel-profiles.ts';
import type { OutboxReader } from '../outbox/outbox.ts';

/** Everything an ingress instance works with. */
export interface IngressDeps {
  readonly options: IngressOptions;
  readonly actions: ActionRegistry;
  readonly documents: Documents;
  readonly access: Access;
  /** Signs the ids of results; the same for all instances. */
  readonly resultSecret: string;
  /** Not yet started. */
  readonly requester: RequestReply & CancellableRequests;
  readonly broker: Broker;
  /** Puts notifications on the log; not yet started. */
  readonly notificationPublisher: Publisher;
  readonly channelProfiles: ChannelProfiles;
  /** The local outbox, where it takes the messages and its page is shown. */
  readonly outbox: OutboxReader | undefined;
  readonly codec: Codec;
  /** Renders large replies; absent: they are rendered on the event loop. */
  readonly threads?: CalculationThreads | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Health of the other workers of this process by name. */
  readonly otherWorkers: () => Readonly<Record<string, Health>>;
}
