import { randomUUID } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import { ACTIONS_BY_NAME } from '../../shared/contract/actions.ts';
import { asyncApiDocument } from '../../shared/contract/documents/asyncapi-document.ts';
import { docsPage } from '../../shared/contract/documents/docs-page.ts';
import { openApiDocument } from '../../shared/contract/documents/openapi-document.ts';
import { createRequester } from '../../shared/messaging/request-reply.ts';
import { topicName } from '../../shared/messaging/topic-names.ts';
import type { Config } from '../../shared/platform/config.ts';
import type { RunningWorker, WorkerContext } from '../../shared/platform/worker.ts';
import { createAccess } from './access/create-access.ts';
import type { Documents } from './documents.ts';
import { ingressOptions } from './ingress-options.ts';
import { resultSecret } from './result-secret.ts';
import { startIngress } from './start-ingress.ts';

const NAME = 'ingress';
/** Tells the instances of one machine apart in the broker's tools. */
const INSTANCE_ID_LENGTH = 8;

/**
 * Starts the HTTP ingress and resolves when it takes actions. Throws ConfigError when access control or the secret of
 * result ids is missing where it is needed; nothing is left running then.
 */
export async function start(context: WorkerContext): Promise<RunningWorker> {
  const { config, broker, codec, clock, log, metrics } = context;
  const access = createAccess({ ...config.auth, host: config.http.host }, { clock, log });
  const secret = resultSecret({
    configured: config.resultIdSecret,
    accessRequired: access.required,
    brokerKind: broker.kind,
  });
  const requester = createRequester({
    broker,
    codec,
    clock,
    log,
    replyTopic: topicName(config.topicPrefix, 'ingressReplies'),
    instanceId: `ingress-${randomUUID().slice(0, INSTANCE_ID_LENGTH)}`,
  });
  const ingress = await startIngress({
    options: ingressOptions(config),
    actions: ACTIONS_BY_NAME,
    documents: documentsOf(config),
    access,
    resultSecret: secret,
    requester,
    broker,
    codec,
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
