import packageJson from '../../package.json' with { type: 'json' };
import { ACTIONS_BY_NAME } from '../../shared/api/actions/actions.ts';
import { createRequester } from '../../shared/messaging/requester/requester.ts';
import { topicName } from '../../shared/messaging/topics/topic-list.ts';
import { openSentMessages } from '../../shared/notification/sent-messages.ts';
import { Suppressions } from '../../shared/suppressions/suppressions.ts';
import { openQuotas } from '../../shared/quotas/quotas.ts';
import { openIndex } from '../../shared/messaging/record-index/record-index.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { chooseResultSecret } from '../runtime/result-secret.ts';
import { createAccess } from './access/create-access.ts';
import { createReplyReader } from './actions/send-reply.ts';
import { startIngress } from './ingress.ts';
import { readProviderFacts } from './notifications/channels.ts';
import { readIngressOptions } from './server/http-limits.ts';
import { listenOnSockets, type Listen } from './server/app.ts';

const NAME = 'ingress';
/** Shorter than the timeouts of callers, so that they get a response when the broker cannot be reached. */
const ACCEPT_DEADLINE_MS = 5_000;

/** Resolves when actions are accepted. A rejection (ConfigError on unusable settings) leaves nothing running. */
export async function startIngressWorker(
  context: WorkerContext,
  listen: Listen = listenOnSockets,
): Promise<RunningWorker> {
  const { config, broker, codec, threads, clock, log } = context;
  const access = await createAccess({ ...config.auth, host: config.http.host }, { clock, log });
  const resultSecret = chooseResultSecret({
    configured: config.resultIdSecret,
    accessRequired: access.required,
    brokerKind: broker.kind,
    dataFolder: config.dataFolder,
  });
  const { configFile, outboxFolder, publicUrl } = config.notification;
  // Read first: if this rejects, nothing is open yet that would need closing.
  const providers = await readProviderFacts(configFile, publicUrl);
  const instanceId = `ingress-${context.newId().slice(0, 8)}`;
  const ingress = await startIngress({
    ...context,
    listen,
    options: readIngressOptions(config),
    actions: ACTIONS_BY_NAME,
    documents: async () => (await import('./create-documents.ts')).createDocuments(config),
    access,
    resultSecret,
    requester: createRequester({
      ...context,
      replyTopic: topicName(config.topicPrefix, 'ingressReplies'),
      instanceId,
      readReply: createReplyReader(codec, threads),
      maxPending: config.limits.pendingReplies,
    }),
    notificationPublisher: broker.createPublisher({
      clientId: `${instanceId}-notifications`,
      deadlineMs: ACCEPT_DEADLINE_MS,
    }),
    ...providers,
    suppressions: new Suppressions(context, { clientId: `${instanceId}-suppressions`, secret: resultSecret }),
    quotas: openQuotas(context, `${instanceId}-quotas`),
    indexFile: openIndex(context, NAME),
    indexLimits: { waitingBytes: config.limits.indexWaitingBytes },
    // With Kafka or providers, messages in the folder may be those of other users.
    outbox:
      configFile === undefined && broker.kind === 'embedded' ? openSentMessages(outboxFolder) : undefined,
    system: {
      retryTiersMs: config.notification.retryTiersMs,
      processUrls: config.systemProcessUrls,
      version: packageJson.version,
      settings: config.settings,
    },
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
