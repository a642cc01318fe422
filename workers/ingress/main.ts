import { randomUUID } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import { ACTIONS_BY_NAME } from '../../shared/contract/actions/actions.ts';
import { asyncApiDocument } from '../../shared/contract/documents/asyncapi.ts';
import { docsPage } from '../../shared/contract/documents/docs-page.ts';
import { openApiDocument } from '../../shared/contract/documents/openapi.ts';
import { createRequester } from '../../shared/messaging/requester/request-reply.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { topicName } from '../../shared/messaging/topics/topics.ts';
import { openOutboxFolder } from '../../shared/notification/outbox-folder.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { createAccess } from './access/create-access.ts';
import type { Documents } from './server/documents.ts';
import { ingressOptions } from './server/ingress-options.ts';
import { createChannelProfiles } from './notifications/channel-profiles.ts';
import type { OutboxReader } from './outbox/outbox.ts';
import { createReplyReader } from './actions/reply.ts';
import { resultSecret } from './actions/result-secret.ts';
import { startIngress } from './server/start-ingress.ts';

const NAME = 'ingress';
/** Tells the instances of one machine apart in the broker's tools. */
const INSTANCE_ID_LENGTH = 8;
/** Shorter than the patience of callers: a broker that is away is told while somebody still listens. */
const ACCEPT_DEADLINE_MS = 5_000;

/**
 * Starts the HTTP ingress and resolves when it takes actions. Throws ConfigError when access control or the secret of
 * result ids is missing where it is needed; nothing is left running then.
 */
export async function start(context: WorkerContext): Promise<RunningWorker> {
  const { config, broker, codec, threads, clock, log, metrics } = context;
  const access = createAccess({ ...config.auth, host: config.http.host }, { clock, log });
  const secret = resultSecret({
    configured: config.resultIdSecret,
    accessRequired: access.required,
    brokerKind: broker.kind,
  });
  const channelProfiles = createChannelProfiles({ configFile: config.notification.configFile, log });
  const instanceId = `ingress-${randomUUID().slice(0, INSTANCE_ID_LENGTH)}`;
  const requester = createRequester({
    broker,
    codec,
    clock,
    log,
    replyTopic: topicName(config.topicPrefix, 'ingressReplies'),
    instanceId,
    readReply: createReplyReader(codec, threads),
  });
  const ingress = await startIngress({
    options: ingressOptions(config),
    actions: ACTIONS_BY_NAME,
    documents: documentsOf(config),
    access,
    resultSecret: secret,
    requester,
    broker,
    notificationPublisher: broker.createPublisher({
      clientId: `${instanceId}-notifications`,
      deadlineMs: ACCEPT_DEADLINE_MS,
    }),
    channelProfiles,
    outbox: outboxOf(config, broker),
    codec,
    threads,
    log,
    clock,
    metrics,
    otherWorkers: () => {
      const { [NAME]: _own, ...others } = context.processHealth();
      return others;
    },
  });
  try {
    await ingress.opened;
  } catch (error) {
    await ingress.stop(0);
    throw error;
  }
  return { name: NAME, url: ingress.url, health: ingress.health, stop: ingress.stop };
}

/** Only where everything stays on this machine: elsewhere the messages of others would be on show. */
function outboxOf({ notification }: Config, { kind }: Broker): OutboxReader | undefined {
  const isLocal = notification.configFile === undefined && kind === 'embedded';
  return isLocal ? openOutboxFolder(notification.outboxFolder) : undefined;
}

function documentsOf(config: Config): Documents {
  const { version } = packageJson;
  const { topicPrefix } = config;
  const { basePath } = config.http;
  const broker = config.kafka?.brokers[0];
  return {
    openApiJson: JSON.stringify(openApiDocument({ version, basePath })),
    asyncApiJson: JSON.stringify(asyncApiDocument({ version, topicPrefix, broker })),
    docsPage: docsPage({ version, basePath, topicPrefix }),
  };
}
