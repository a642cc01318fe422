import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { TopicSpec, Queued } from '../../../shared/messaging/ports.ts';
import { allTopicSpecs, topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { publishCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import { recordsOf } from '../../support/builders/notification-call.ts';
import type { Incident } from '../faults/fault-plan.ts';
import type { BrokerModel } from './broker-model.ts';
import { createProcessBroker } from './process-broker.ts';
import { impossible, type SimBroker } from './sim-broker.ts';

export async function createClusterBroker(
  model: BrokerModel,
  topics: readonly TopicSpec[],
  limits: Queued,
): Promise<SimBroker> {
  for (const spec of topics) model.topics.create(spec);
  catalogue ??= encodeCatalogue();
  for (const message of await catalogue) model.append(message, 'setup#0');
  return {
    env: { DATA_DIR: 'memory' },
    connect: (life) => ({ broker: createProcessBroker(life, model, limits) }),
    connectClient: (life) => createProcessBroker(life, model),
    strike: (incident) => strike(model, incident),
    absentMs: (name) => model.absentMs(name),
    groups: () => model.admin.groups([...model.reads.values()]),
    close: () => model.close(),
  };
}

function strike(model: BrokerModel, incident: Incident): void {
  const begin = (fault: string, forMs: number): void => {
    model.setFault(fault, true);
    model.after(forMs, () => model.setFault(fault, false));
  };
  const { kind } = incident;
  if (kind === 'cut-off') begin(`cut-off ${incident.target}`, incident.forMs);
  else if (kind === 'expel') model.expel(incident.target);
  else if (kind === 'outage' || kind === 'full-disk') begin(kind, incident.forMs);
  else throw impossible(incident);
}

let catalogue: ReturnType<typeof encodeCatalogue> | undefined;

async function encodeCatalogue() {
  const config = loadConfig({});
  const broker = createEmbeddedBroker();
  try {
    await broker.admin.createTopics(allTopicSpecs('', []));
    await publishCatalogue(broker, await createCodec(config, { now: () => 0 }), config);
    const topic = topicName('', 'catalogueRecords');
    const records = await recordsOf(broker, topic);
    return records.map(({ partition, key, value, headers }) => ({ topic, partition, key, value, headers }));
  } finally {
    await broker.close();
  }
}
