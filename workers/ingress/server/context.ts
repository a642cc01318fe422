import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import type { Access } from '../access/access.ts';
import type { IngressOptions } from './http-limits.ts';
import type { EarlyAdmission } from './early-admission.ts';
import type { LoadShedding } from './load-shedding.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Traffic } from './traffic.ts';

/** The services that the routes of an ingress instance share. */
export interface IngressContext extends SystemPorts {
  readonly options: IngressOptions;
  readonly access: Access;
  readonly rateLimiter: RateLimiter;
  readonly shedding: LoadShedding;
  readonly earlyAdmission: EarlyAdmission;
  readonly traffic: Traffic;
  readonly broker: Broker;
  readonly codec: MessageCodec;
  readonly log: Log;
  readonly metrics: Metrics;
}
