/**
 * State of one part of the process; `reason` says what an operator should look at. Ready and degraded parts serve;
 * a starting part does not serve yet, or not at the moment; an unhealthy one needs a restart.
 */
export interface Health {
  readonly status: 'ready' | 'starting' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}
