/** The whole system over one embedded broker, with all its output captured. */

import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'node:util';
import { pino } from 'pino';
import { onTestFinished, vi } from 'vitest';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { allTopicSpecs } from '../../../shared/messaging/topics/topic-list.ts';
import { loadConfig, type Config } from '../../../shared/platform/load-config.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { recordsOf, send } from '../builders/notification-call.ts';
import { configurationText } from '../builders/provider-entry.ts';
import { type ProviderStandIn, startProviderStandIn } from '../fakes/provider-stand-in.ts';
import { type SmtpSink, startSmtpSink } from '../fakes/smtp-sink.ts';
import { scratchFolder } from '../scratch-folder.ts';

export interface Output {
  readonly where: string;
  readonly text: string | Buffer;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface PlantedSecrets {
  readonly mail: Credentials;
  readonly gate: Credentials & { readonly key: string };
  readonly twilio: Credentials;
  readonly dkimKey: string;
}

export type LeakWorld = Awaited<ReturnType<typeof startLeakWorld>>;
export type Answer = Awaited<ReturnType<typeof keepAnswer>>;
type Keep = (where: string, text: string | Buffer) => void;

const TIERS_MS = [50, 100];
const PATIENT = { breaker: { failures: 1_000 } };
/** Long enough that no response is late on a busy machine; a late one would make the outcome unknown. */
const SEND_TIMEOUT_MS = '10000';

export function dkimKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Starts ingress and notification worker over an embedded broker with providers on loopback. */
export async function startLeakWorld(secrets: PlantedSecrets, sender: string) {
  const sink = await startSmtpSink();
  const gate = await startProviderStandIn();
  const twilio = await startProviderStandIn();
  onTestFinished(async () => void (await Promise.all([sink.close(), gate.stop(), twilio.stop()])));
  const folder = scratchFolder();
  const configFile = path.join(folder, 'providers.json');
  const outputs: Output[] = [];
  const keep: Keep = (where, text) => void outputs.push({ where, text });
  catchConsole(keep);
  const log: Log = pino({ level: 'trace' }, { write: (line: string) => keep('log', line) });
  const good = goodConfiguration(secrets, sender, { sink, gate, twilio });
  await writeFile(configFile, good);
  const config = configOf(configFile, folder);
  const system = await startWorkers({ config, names: ['ingress', 'notification'], log });
  onTestFinished(() => system.stop(0));
  const url = system.url ?? '';
  return {
    url,
    broker: system.broker,
    sink,
    gate,
    twilio,
    /** The output captured so far; `keep` adds to it. */
    outputs: outputs as readonly Output[],
    keep,
    /** Posts a notification, captures the response and returns its status and body. */
    post: async (...call: Parameters<typeof send> extends [string, ...infer Rest] ? Rest : never) =>
      keepAnswer(await send(url, ...call), 'POST answer', keep),
    /** Sends any other request and captures the response. */
    ask: async (address: string, options: RequestInit = {}) =>
      keepAnswer(await fetch(url + address, options), `${options.method ?? 'GET'} answer`, keep),
    /** Starts a system with an invalid configuration and captures its output. */
    refuseStart: async (text: string) => {
      const file = path.join(folder, 'wrong.json');
      await writeFile(file, text);
      const refused = startWorkers({ config: configOf(file, folder), names: ['notification'], log });
      await refused.then(
        () => {
          throw new Error('the system started despite its invalid configuration');
        },
        (error: unknown) => keep('startup error', format(error)),
      );
    },
    /** The records of all topics, with the names and values of their headers. */
    records: () => allRecords(system.broker, config),
  };
}

/** Of ingress, workers and the command. */
export const RESULT_ID_SECRET = 'a secret of ids for tests only';

function configOf(configFile: string, folder: string): Config {
  const loaded = loadConfig({
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    DATA_DIR: 'memory',
    RESULT_ID_SECRET,
    NOTIFICATION_SEND_TIMEOUT_MS: SEND_TIMEOUT_MS,
  });
  const outboxFolder = path.join(folder, 'outbox');
  // Nothing of this test is kept: real providers need a data folder.
  const own = { configFile, outboxFolder, retryTiersMs: TIERS_MS };
  return { ...loaded, notification: { ...loaded.notification, ...own } };
}

function goodConfiguration(
  secrets: PlantedSecrets,
  sender: string,
  peers: { sink: SmtpSink; gate: ProviderStandIn; twilio: ProviderStandIn },
): string {
  const mail = {
    url: `smtp://127.0.0.1:${peers.sink.port}`,
    provider: 'SMTP',
    'communication-channel': 'email',
    defaultSender: sender,
    authentication: secrets.mail,
    smtp: { dkim: { domainName: 'bank.example', keySelector: 'mail', privateKey: secrets.dkimKey } },
    limits: PATIENT,
  };
  const byHeader = { kind: 'header', header: 'api-key' };
  const gate = {
    url: `${peers.gate.origin}/send/{receiver}`,
    provider: 'gate',
    'payload-template': {
      to: 'RECEIVER_PLACEHOLDER',
      text: 'MESSAGE_PLACEHOLDER',
      from: 'SENDER_PLACEHOLDER',
    },
    'communication-channel': 'sms',
    authentication: secrets.gate,
    connector: { authentication: byHeader, errorCode: ['/error'], id: { pointer: '/id' } },
    limits: PATIENT,
  };
  const twilio = {
    url: peers.twilio.origin,
    provider: 'twilio',
    'communication-channel': 'sms',
    defaultSender: '+40722000000',
    authentication: secrets.twilio,
    limits: PATIENT,
  };
  return configurationText(mail, gate, twilio);
}

async function keepAnswer(response: Response, where: string, keep: Keep) {
  const text = await response.text();
  keep(where, `${response.status} ${JSON.stringify([...response.headers])} ${text}`);
  return { status: response.status, text };
}

/** Captures the output of libraries that bypass the log. */
function catchConsole(keep: Keep): void {
  for (const name of ['debug', 'log', 'info', 'warn', 'error', 'trace'] as const) {
    const spy = vi
      .spyOn(console, name)
      .mockImplementation((...words: unknown[]) => keep('console', format(...words)));
    onTestFinished(() => spy.mockRestore());
  }
  for (const where of ['stdout', 'stderr'] as const) {
    const spy = vi.spyOn(process[where], 'write').mockImplementation((chunk) => {
      keep(where, format(chunk));
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
}

async function allRecords(broker: Broker, config: Config) {
  const specs = allTopicSpecs(config.topicPrefix, config.notification.retryTiersMs);
  return Promise.all(
    specs.map(async ({ topic }) => {
      const records = await recordsOf(broker, topic);
      return {
        topic,
        values: records.flatMap(({ value }) => value ?? []),
        keys: records.flatMap(({ key }) => key ?? []),
        headers: records.flatMap(({ headers }) =>
          Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`),
        ),
      };
    }),
  );
}
