import { onTestFinished } from 'vitest';
import { openAccess } from '../../../workers/ingress/access/access.ts';
import type { ServedAction } from '../../../workers/ingress/actions/action-route.ts';
import { readIngressOptions, type IngressOptions } from '../../../workers/ingress/server/http-limits.ts';
import { readProviderFacts } from '../../../workers/ingress/notifications/channels.ts';
import { startIngress, type IngressDeps, type RunningIngress } from '../../../workers/ingress/ingress.ts';
import { listenOnSockets } from '../../../workers/ingress/server/app.ts';
import type { ReadRequest } from '../../../shared/api/json/request-reader.ts';
import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startHealthServer } from '../../../shared/platform/health.ts';
import { systemClock, systemPorts } from '../../../shared/platform/system-ports.ts';
import { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { createFakeRequester } from '../fakes/requester.ts';

export const ECHO_PATH = '/platapi/automation-processors/actions/PLAT_BP_Echo';

/**
 * An action that returns its input. It reports fields that start with `bad` as faults and those that start with `odd`
 * as warnings.
 */
export const echoAction: ServedAction = {
  name: 'PLAT_BP_Echo',
  topic: 'scheduleRequests',
  requestType: 'EchoRequest',
  replyType: 'EchoReply',
  read: (body): ReadRequest<unknown> => {
    const fields = typeof body === 'object' && body !== null ? Object.keys(body) : [];
    const bad = fields.filter((name) => name.startsWith('bad'));
    const faults = bad.map((path) => ({ path, code: 'wrong-type', message: 'must be good' }));
    if (faults.length > 0) return { kind: 'invalid', problem: 'invalid-request', faults };
    const odd = fields.filter((name) => name.startsWith('odd'));
    const warnings = odd.map((path) => ({ code: 'unknown-member', path }));
    return { kind: 'valid', payload: body, warnings };
  },
  render: (payload) => JSON.stringify(payload),
};

/** A requester whose replies are the payloads of their requests; `held` delays those it is given for. */
export const echoRequester = (held?: (payload: unknown) => unknown) =>
  createFakeRequester(async ({ payload }) => {
    await held?.(payload);
    return { kind: 'reply', type: 'EchoReply', payload };
  });

/** The head of a POST of the echo action, with further header lines. */
export const echoHead = (lines: string) =>
  `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines}\r\n`;

export const metricsOf = async ({ url }: { readonly url: string }) => (await fetch(`${url}/metrics`)).text();

/** A JSON codec that writes the message type into a header. */
export const jsonCodec: MessageCodec = {
  encode: (type, payload) => {
    return { value: Buffer.from(JSON.stringify(payload)), headers: { [HEADER.messageType]: type } };
  },
  decode: ({ value, headers }) => ({
    kind: 'decoded',
    type: String(headers[HEADER.messageType]),
    format: 'json',
    payload: JSON.parse(String(value)) as unknown,
  }),
  isBatch: () => false,
  faultsOf: () => [],
  typeOf: ({ headers }) => String(headers[HEADER.messageType]),
  prepare: async () => undefined,
};

/** The settings for tests: a free port, no rate limit, and small stores. */
export const TEST_OPTIONS: IngressOptions = {
  ...readIngressOptions(loadConfig({ PORT: '0', RATE_LIMIT_PER_SECOND: '0' })),
  resultStoreBytes: 1_048_576,
};

const INGRESS_TOPICS = [
  TOPIC.scheduleRequests,
  TOPIC.ingressReplies,
  TOPIC.ingressResults,
  TOPIC.smsCommands,
  TOPIC.emailCommands,
  TOPIC.smsUrgentCommands,
  TOPIC.emailUrgentCommands,
  TOPIC.notificationAcceptances,
  TOPIC.notificationOutcomes,
  TOPIC.notificationSuppressions,
];

/** An embedded broker with the topics of the ingress. */
export async function createTestBroker() {
  const broker = createEmbeddedBroker();
  await broker.admin.createTopics(INGRESS_TOPICS.map((topic) => ({ topic, partitions: 3 })));
  onTestFinished(() => broker.close());
  return broker;
}

export async function publishTo(broker: Broker, messages: readonly OutgoingMessage[]): Promise<void> {
  const publisher = broker.createPublisher({ clientId: 'test-writer' });
  await publisher.start();
  await publisher.publish(messages);
  await publisher.stop();
}

/** Overrides of the defaults: a fake requester that echoes, open access and the echo action. */
export type IngressSettings = Partial<Omit<IngressDeps, 'options'>> & {
  readonly options?: Partial<IngressOptions>;
};

/** Starts an ingress on a free port of loopback and stops it at the end of the test. */
export async function startTestIngress(settings: IngressSettings = {}): Promise<RunningIngress> {
  const broker = settings.broker ?? (await createTestBroker());
  const ingress = await startIngress({
    ...systemPorts,
    listen: listenOnSockets,
    actions: new Map([[echoAction.name.toLowerCase(), echoAction]]),
    documents: async () => ({
      openApiJson: () => '{"openapi":"3.1.0"}',
      asyncApiJson: () => '{"asyncapi":"3.0.0"}',
      docsPage: () => '<!doctype html><style>p{}</style><p>Docs',
    }),
    access: openAccess,
    resultSecret: 'a secret for tests only',
    requester: echoRequester(),
    broker,
    notificationPublisher: broker.createPublisher({ clientId: 'test-notifications' }),
    ...(await readProviderFacts(undefined)),
    suppressions: new Suppressions(
      { ...systemPorts, broker, config: loadConfig({}), log: silentLog },
      { clientId: 'test-suppressions', secret: 'a secret for tests only' },
    ),
    outbox: undefined,
    codec: jsonCodec,
    log: silentLog,
    clock: systemClock,
    metrics: createMetrics(),
    otherWorkers: () => ({}),
    system: { retryTiersMs: [], processUrls: [], version: '0.0.0', settings: [] },
    ...settings,
    options: { ...TEST_OPTIONS, ...settings.options },
  });
  onTestFinished(() => ingress.stop(0));
  return ingress;
}

/** Starts an ingress and waits until it accepts actions. */
export async function openTestIngress(settings: IngressSettings = {}): Promise<RunningIngress> {
  const ingress = await startTestIngress(settings);
  await ingress.opened;
  return ingress;
}

/** Starts an ingress that accepts notifications, with the codec of the workers. */
export async function openNotificationIngress(settings: IngressSettings = {}): Promise<RunningIngress> {
  const codec = await createCodec(loadConfig({}), systemClock);
  return openTestIngress({ actions: new Map(), codec, ...settings });
}

/** Starts the health port of a worker on a free port of loopback, and stops it at the end of the test. */
export async function openHealthPort(settings: Partial<Parameters<typeof startHealthServer>[0]> = {}) {
  const address = { host: '127.0.0.1', allowedHosts: [], port: 0, timers: systemPorts.timers };
  const own = { metrics: createMetrics(), health: () => ({}) };
  const server = await startHealthServer({ ...address, ...own, ...settings });
  onTestFinished(() => server.stop());
  return server;
}

export function postEcho(
  ingress: RunningIngress,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(ingress.url + ECHO_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}
