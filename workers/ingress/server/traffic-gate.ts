/** Whether actions are taken: not before replies can be received, and no more once the instance is on its way out. */
export interface TrafficGate {
  open(): void;
  /** No new work; health says so to the load balancer. */
  close(): void;
  state(): 'starting' | 'open' | 'draining';
}

export function createTrafficGate(): TrafficGate {
  let state: 'starting' | 'open' | 'draining' = 'starting';
  return {
    open: () => {
      if (state === 'starting') state = 'open';
    },
    close: () => {
      state = 'draining';
    },
    state: () => state,
  };
}
