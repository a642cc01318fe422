import type { NodePlan, ProxiedListener } from './broker-settings.ts';
import { findFreePorts, requireFree } from './free-ports.ts';

export interface Ports {
  readonly plans: readonly NodePlan[];
  readonly registryPort: number;
}

export interface PortWishes {
  readonly nodes?: 1 | 3;
  readonly port?: number;
  readonly registryPort?: number;
  /** A second listener of each node, whose clients are sent to the port of a proxy. */
  readonly proxied?: readonly ProxiedListener[];
}

/** The wished ports, which must be free (else LocalKafkaError `port-in-use`), and free ones for the rest. */
export async function choosePorts(wishes: PortWishes): Promise<Ports> {
  const count = wishes.nodes ?? 1;
  const free = await findFreePorts(2 * count + 1);
  const brokerPorts = Array.from({ length: count }, (_, index) =>
    wishes.port === undefined ? (free[index] ?? 0) : wishes.port + index,
  );
  const registryPort = wishes.registryPort ?? free[2 * count] ?? 0;
  if (wishes.port !== undefined) await Promise.all(brokerPorts.map((port) => requireFree(port, '--port')));
  if (wishes.registryPort !== undefined) await requireFree(registryPort, '--registry-port');
  const plans = brokerPorts.map((brokerPort, index): NodePlan => {
    const proxied = wishes.proxied?.[index];
    const plan = { nodeId: index + 1, brokerPort, controllerPort: free[count + index] ?? 0 };
    return proxied === undefined ? plan : { ...plan, proxied };
  });
  return { plans, registryPort };
}
