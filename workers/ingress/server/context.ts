import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
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
}
