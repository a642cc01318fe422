import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { DataFile } from '../../../shared/messaging/data-file.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import type { IndexLimits } from '../../../shared/messaging/record-index/record-index.ts';
import type { Requester } from '../../../shared/messaging/requester/requester.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import type { Quotas } from '../../../shared/quotas/quotas.ts';
import type { Access } from '../access/access.ts';
import type { Admission } from './admission.ts';
import type { IngressOptions } from './http-limits.ts';
import type { Traffic } from './traffic.ts';

/** The services that the routes of an ingress instance share. */
export interface IngressContext extends SystemPorts {
  readonly options: IngressOptions;
  readonly access: Access;
  readonly admission: Admission;
  readonly traffic: Traffic;
  readonly broker: Broker;
  readonly codec: MessageCodec;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Signs the ids of results; the same for all instances. */
  readonly resultSecret: string;
  /** Started by the ingress. */
  readonly requester: Requester;
  /** Publishes notifications; started by the ingress. */
  readonly notificationPublisher: Publisher;
  readonly quotas?: Quotas | undefined;
  /** If undefined, the records of notifications are indexed in memory. Closed with the ingress. */
  readonly indexFile?: DataFile | undefined;
  readonly indexLimits?: Partial<IndexLimits>;
}
