/** The answers of the system addresses, as far as the room shows them. OpenAPI describes each field. */

export interface ShownState {
  readonly at: string;
  readonly status: 'ok' | 'warning' | 'critical';
  readonly version: string;
  readonly findings: readonly ShownFinding[];
  readonly broker: ReadFault & { readonly kind: 'embedded' | 'kafka' };
  readonly processes: readonly ShownProcess[];
  readonly groups: readonly ShownGroup[];
  readonly rates: readonly ShownRate[];
  readonly breakers: readonly {
    readonly process: string;
    readonly kind: 'consumer' | 'provider';
    readonly name: string;
    readonly state: 'closed' | 'half-open' | 'open';
  }[];
  readonly catalogue?: { readonly version: number; readonly changedAt?: string | undefined } | undefined;
}

/** Of a source that cannot be read at the moment. */
interface ReadFault {
  readonly fault?: string | undefined;
  readonly faultCode?: ShownFault['faultCode'];
  readonly faultDetail?: string | undefined;
  readonly lastReadAt?: string | undefined;
}

/** Why a source cannot be read, for texts in any language. */
export interface ShownFault {
  readonly faultCode?:
    | 'no-answer'
    | 'unreachable'
    | 'unexpected-answer'
    | 'broker-unavailable'
    | 'broker-refused'
    | 'failed'
    | undefined;
  readonly faultDetail?: string | undefined;
}

export interface ShownFinding {
  readonly severity: 'warning' | 'critical';
  readonly code:
    | 'broker-unreadable'
    | 'process-unreadable'
    | 'worker-not-ready'
    | 'group-without-members'
    | 'group-without-progress'
    | 'breaker-open'
    | 'requests-failing'
    | 'catalogue-absent';
  readonly subject: string;
  /** In English. */
  readonly text: string;
  readonly parameters: ShownFault & {
    readonly process?: string | undefined;
    readonly status?: ShownWorker['status'] | undefined;
    readonly reason?: string | undefined;
    readonly topic?: string | undefined;
    readonly waiting?: number | undefined;
    readonly seconds?: number | undefined;
    readonly kind?: 'consumer' | 'provider' | 'request' | 'message' | undefined;
    readonly state?: 'half-open' | 'open' | undefined;
    readonly failed?: number | undefined;
    readonly count?: number | undefined;
  };
}

export interface ShownProcess extends ReadFault {
  /** `this`: the answering instance. */
  readonly name: string;
  readonly startedAt?: string | undefined;
  readonly workers: readonly ShownWorker[];
}

export interface ShownWorker {
  readonly name: string;
  readonly status: 'ready' | 'starting' | 'degraded' | 'unhealthy';
  readonly reason?: string | undefined;
}

export interface ShownGroup {
  readonly groupId: string;
  readonly topic: string;
  readonly state: 'stable' | 'rebalancing' | 'empty';
  /** Its messages wait until they are due. */
  readonly delayed: boolean;
  readonly lag: number;
  readonly members: readonly {
    readonly memberId: string;
    readonly host?: string | undefined;
    readonly partitions: readonly number[];
  }[];
  readonly partitions: readonly {
    readonly partition: number;
    readonly lag: number;
    readonly end: number;
    readonly committed?: number | undefined;
  }[];
}

export interface ShownRate {
  readonly process: string;
  readonly kind: 'request' | 'message' | 'provider';
  readonly name: string;
  readonly count: number;
  readonly perSecond: number;
  readonly failed: number;
  readonly p50Ms?: number | undefined;
  readonly p99Ms?: number | undefined;
  readonly windowSeconds: number;
}

export interface ShownSetting {
  readonly name: string;
  readonly source: 'default' | 'set' | 'file';
  readonly value?: string | undefined;
}
