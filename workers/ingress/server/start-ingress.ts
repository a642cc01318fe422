import type { AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { combineHealth } from '../../../shared/platform/health-server.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { assembleIngress, type AssembledIngress } from '../ingress.ts';
import type { IngressDeps } from './ingress-deps.ts';

export interface RunningIngress {
  readonly port: number;
  /** Address with the base path. */
  readonly url: string;
  /** Resolves when actions are taken; rejects when the messaging parts cannot be started. */
  readonly opened: Promise<void>;
  readonly health: () => Health;
  /** Takes no new work, lets pending replies come for at most `drainMs`, closes. Idempotent. */
  readonly stop: (drainMs: number) => Promise<void>;
}

/** Looking this often for the last pending answer is fine enough for a shutdown. */
const DRAIN_POLL_MS = 10;
/**
 * So long callers that keep connections are still heard, and told by 503 and `Connection: close` to go elsewhere. To close
 * a connection at once resets it whenever a request is on its way, and its caller cannot know that it was not taken.
 */
const FAREWELL_MS = 500;
/** Leaving the broker may take this long after the answers are out. */
const LEAVE_TIMEOUT_MS = 2_000;

/**
 * Starts the HTTP side: it listens at once, so that health can be asked, and takes actions as soon as replies can be
 * received. Rejects when the address cannot be listened on.
 */
export async function startIngress(deps: IngressDeps): Promise<RunningIngress> {
  const ingress = assembleIngress(deps);
  await ingress.app.listen({ host: deps.options.host, port: deps.options.port });
  const { port } = ingress.app.server.address() as AddressInfo;
  const opened = open(deps, ingress);
  // Whoever awaits `opened` learns of it; without one it must not end the process.
  opened.catch(() => undefined);
  let stopped: Promise<void> | undefined;
  return {
    port,
    url: `http://${urlHost(deps.options.host)}:${port}${deps.options.basePath}`,
    opened,
    health: () => combineHealth(ingress.health()),
    stop: (drainMs) => (stopped ??= stop(deps, ingress, drainMs)),
  };
}

async function open(deps: IngressDeps, ingress: AssembledIngress): Promise<void> {
  const types = [...deps.actions.values()].flatMap((action) => [
    action.requestType,
    action.replyType,
    PROBLEM_TYPE,
  ]);
  await Promise.all([
    deps.codec.prepare([...new Set([...types, ...ingress.notifications.types])]),
    deps.requester.start(),
    ingress.results.start(),
    ingress.notifications.start(),
  ]);
  ingress.gate.open();
}

async function stop(deps: IngressDeps, ingress: AssembledIngress, drainMs: number): Promise<void> {
  const { app, gate, figures, answers } = ingress;
  const endsAtMs = performance.now() + drainMs;
  const leftMs = (): number => Math.max(0, endsAtMs - performance.now());
  gate.close();
  answers.makeLast();
  const farewellMs = Math.min(FAREWELL_MS, drainMs);
  while ((await openConnections(app.server)) > 0 && drainMs - leftMs() < farewellMs)
    await sleep(DRAIN_POLL_MS);
  const closed = app.close();
  while (figures.inFlight() > 0 && leftMs() > 0) await sleep(DRAIN_POLL_MS);
  await deps.requester.stop(leftMs());
  app.server.closeAllConnections();
  await closed;
  await Promise.all([ingress.results.stop(LEAVE_TIMEOUT_MS), ingress.notifications.stop(LEAVE_TIMEOUT_MS)]);
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
