/**
 * Child process that sends schedule requests with the requester of this project to its workers over Kafka, without HTTP, and
 * decodes the replies. Runs closed loops for its parent.
 */
import { createRequester } from '../../../shared/messaging/requester/requester.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { createLog } from '../../../shared/platform/log.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { closedLoop } from '../load.ts';
import { answerParent } from '../processes.ts';
import { benchCodec, readBody, SAMPLE_BODY } from '../samples.ts';
import type { LoopWords } from './raw-client.ts';

const TIMEOUT_MS = 30_000;

const config = loadConfig(process.env);
const log = createLog({ level: 'warn', name: 'bench' });
// A process without workers has the broker that the configuration selects.
const { broker } = await startWorkers({ config, names: [], log });
const requester = createRequester({
  ...systemPorts,
  broker,
  codec: benchCodec(),
  log,
  replyTopic: topicName(config.topicPrefix, 'ingressReplies'),
  instanceId: 'bench',
});
await requester.start();
const request = {
  topic: topicName(config.topicPrefix, 'scheduleRequests'),
  type: 'CalculateRepaymentScheduleRequest',
  payload: readBody(SAMPLE_BODY),
  timeoutMs: TIMEOUT_MS,
};

answerParent(async ({ window, forMs }: LoopWords) => ({
  ...(await closedLoop({ window, warmUpMs: 0, measureMs: forMs, request: call })),
}));

async function call(): Promise<void> {
  const reply = await requester.request(request);
  if (reply.kind === 'problem') throw new Error(JSON.stringify(reply.problem));
}
