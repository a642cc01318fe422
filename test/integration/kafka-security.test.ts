import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { alterUserScramCredentialsV0, ConnectionPool, parseBroker } from '@platformatic/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../scripts/dev/local-kafka/free-ports.ts';
import { startLocalKafka, type LocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { openKafkaBroker, type KafkaClientName } from '../../shared/messaging/kafka/kafka-broker.ts';
import type { KafkaSettings } from '../../shared/messaging/kafka/kafka-settings.ts';
import { platformaticProducers } from '../../shared/messaging/kafka/platformatic-producer.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { readTopics } from '../support/conformance/read-topics.ts';
import { startOrSkip } from '../support/kafka/cluster.ts';
import { selfSigned } from '../support/self-signed-certificate.ts';

const CLIENTS = ['kafkajs', 'platformatic'] as const;
const USER = 'engine';
const PASSWORD = 'correct-horse';
const PASSWORD_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const ITERATIONS = 4_096;
/** Kafka closes a connection whose login is older, at its next request. */
const LOGIN_LIFETIME_MS = 1_500;
/** The SCRAM mechanisms by Kafka's numbers, with the sizes of their hashes. */
const SCRAM = [
  { mechanism: 1, hash: 'sha256', bytes: 32 },
  { mechanism: 2, hash: 'sha512', bytes: 64 },
];

/** The suite has its own broker, with listeners that require TLS, a client certificate or a login. */
const folder = mkdtempSync(path.join(tmpdir(), 'kafka-security-'));
const [tlsPort = 0, loginPort = 0, renewalPort = 0] = await findFreePorts(3);
const files = { broker: writeCertificate('broker'), client: writeCertificate('client') };
const kafka = await startOrSkip(startOwnKafka, 'TLS and logins');
const suite = kafka === undefined ? describe.skip : describe;

async function roundTrip(settings: KafkaSettings, client: KafkaClientName = 'kafkajs'): Promise<string[]> {
  const broker = await openKafkaBroker({ ...settings, client, clientId: 'security', log: silentLog });
  try {
    const topic = `security-${randomBytes(4).toString('hex')}`;
    // Fails at once, where the creation of topics is repeated for a while.
    await broker.admin.partitionCounts([topic]);
    await broker.admin.createTopics([{ topic, partitions: 1 }]);
    const publisher = broker.createPublisher({ clientId: 'security', deadlineMs: 5_000 });
    await publisher.start();
    await publisher.publish([{ topic, key: null, value: Buffer.from('hello') }]);
    return (await readTopics(broker, [topic], 10_000)).map(({ value }) => String(value));
  } finally {
    await broker.close();
  }
}

suite.each(CLIENTS)('a secured Kafka with %s', { concurrent: true }, (client) => {
  test('accepts a client certificate over TLS', async () => {
    expect(await roundTrip(withTls(), client)).toEqual(['hello']);
  });

  test.each(PASSWORD_MECHANISMS)('accepts the right password with %s', async (mechanism) => {
    const sasl = { mechanism, username: USER, password: PASSWORD };
    expect(await roundTrip(withLogin(sasl), client)).toEqual(['hello']);
  });

  test('accepts a token with oauthbearer', async ({ onTestFinished }) => {
    const sasl = { mechanism: 'oauthbearer', username: 'id', password: 'secret' } as const;
    const { tokenUrl, stop } = await tokenEndpoint();
    onTestFinished(stop);
    expect(await roundTrip(withLogin({ ...sasl, tokenUrl }), client)).toEqual(['hello']);
  });
});

/** By its first question, which is that of the admin client for both clients. */
suite('a secured Kafka', { concurrent: true }, () => {
  test.each([
    // A start ends at once with a failure whose text has this word.
    ['does not trust its certificate', { caFile: files.client.cert }, 'certificate'],
    ['has no certificate', { certFile: undefined, keyFile: undefined }, ''],
  ])('is unavailable to a client that %s', async (_, changes, text) => {
    const failure = { code: 'broker-unavailable', message: expect.stringContaining(text) as string };
    await expect(roundTrip(withTls(changes))).rejects.toMatchObject(failure);
  });

  test.each(PASSWORD_MECHANISMS)('refuses a wrong password with %s', async (mechanism) => {
    const wrong = withLogin({ mechanism, username: USER, password: 'wrong-horse' });
    const refusal = await roundTrip(wrong).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'broker-refused', canRetry: false });
    expect(errorText(refusal)).not.toContain('wrong-horse');
  });

  test('refuses a client whose token endpoint has no token', async ({ onTestFinished }) => {
    const { tokenUrl, stop } = await tokenEndpoint();
    onTestFinished(stop);
    const nowhere = { username: 'id', password: 'secret', tokenUrl: `${tokenUrl}/none` };
    const refused = roundTrip(withLogin({ mechanism: 'oauthbearer', ...nowhere }));
    await expect(refused).rejects.toMatchObject({ code: 'broker-refused' });
  });
});

suite('a Kafka that limits the time of a login', { concurrent: true }, () => {
  test('continues with @platformatic/kafka while logins are renewed', async ({ onTestFinished }) => {
    const sasl = { mechanism: 'scram-sha-512', username: USER, password: PASSWORD } as const;
    const topic = 'renewals';
    const options = { client: 'kafkajs', clientId: 'renewals', log: silentLog } as const;
    const broker = await openKafkaBroker({ ...withLogin(sasl), ...options });
    onTestFinished(() => broker.close());
    await broker.admin.createTopics([{ topic, partitions: 1 }]);
    const connect = platformaticProducers({ brokers: [`127.0.0.1:${renewalPort}`], sasl });
    const producer = await connect('renewals');
    onTestFinished(() => producer.destroy());
    const record = { topic, partition: 0, key: null, value: null, timestampMs: Date.now(), bytes: 0 };
    const endAt = performance.now() + 3 * LOGIN_LIFETIME_MS;
    // Kafka closes a connection on which requests arrive during a renewal.
    while (performance.now() < endAt) await Promise.allSettled([producer.send([record])]);
    await expect(producer.send([record])).resolves.toBeUndefined();
  });
});

function withTls(more: object = {}): KafkaSettings {
  const ssl = { caFile: files.broker.cert, certFile: files.client.cert, keyFile: files.client.key };
  return { brokers: [`127.0.0.1:${tlsPort}`], ssl: { ...ssl, ...more } };
}

function withLogin(sasl: NonNullable<KafkaSettings['sasl']>): KafkaSettings {
  return { brokers: [`127.0.0.1:${loginPort}`], ssl: { caFile: files.broker.cert }, sasl };
}

beforeAll(async () => {
  if (kafka !== undefined) await createScramUsers(kafka);
});
afterAll(async () => {
  await kafka?.stop();
  rmSync(folder, { recursive: true });
});

/** Files in PEM; `both` has key and certificate, as Kafka reads them. */
function writeCertificate(name: string) {
  const { key, cert } = selfSigned();
  const write = (kind: string, text: string) => {
    const file = path.join(folder, `${name}.${kind}.pem`);
    writeFileSync(file, text);
    return file;
  };
  return { key: write('key', key), cert: write('cert', cert), both: write('both', `${key}\n${cert}`) };
}

function loginModule(name: string, options: string): string {
  return `org.apache.kafka.common.security.${name}LoginModule required${options};`;
}

function startOwnKafka(): Promise<LocalKafka> {
  const certificate = { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': files.broker.both };
  const clients = {
    'ssl.client.auth': 'required',
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': files.client.cert,
  };
  const logins = {
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    'plain.sasl.jaas.config': loginModule('plain.Plain', ` user_${USER}="${PASSWORD}"`),
    'scram-sha-256.sasl.jaas.config': loginModule('scram.Scram', ''),
    'scram-sha-512.sasl.jaas.config': loginModule('scram.Scram', ''),
    'oauthbearer.sasl.jaas.config': loginModule('oauthbearer.OAuthBearer', ''),
  };
  const renewals = {
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'scram-sha-512.sasl.jaas.config': loginModule('scram.Scram', ''),
    'scram-sha-512.connections.max.reauth.ms': String(LOGIN_LIFETIME_MS),
  };
  const listeners = [
    { name: 'CERTIFICATES', port: tlsPort, protocol: 'SSL', settings: { ...certificate, ...clients } },
    { name: 'LOGINS', port: loginPort, protocol: 'SASL_SSL', settings: { ...certificate, ...logins } },
    { name: 'RENEWALS', port: renewalPort, protocol: 'SASL_PLAINTEXT', settings: renewals },
  ] as const;
  return startLocalKafka({ registry: false, listeners: [listeners] });
}

/** Kafka stores salted passwords, which the client computes (RFC 5802). */
async function createScramUsers({ brokers }: LocalKafka): Promise<void> {
  const connections = new ConnectionPool('scram');
  const connection = await connections.get(parseBroker(brokers[0] ?? ''));
  for (const { mechanism, hash, bytes } of SCRAM) {
    const salt = randomBytes(16);
    const saltedPassword = pbkdf2Sync(PASSWORD, salt, ITERATIONS, bytes, hash);
    const user = { name: USER, mechanism, iterations: ITERATIONS, salt, saltedPassword };
    await alterUserScramCredentialsV0.api.async(connection, [], [user]);
  }
  await connections.close();
}

/** An endpoint that issues unsigned tokens, which Kafka accepts where no key is configured. */
async function tokenEndpoint() {
  const server = createServer((request, response) => {
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const claims = { sub: USER, iat: nowSeconds, exp: nowSeconds + 600 };
    const token = `${encodePart({ alg: 'none' })}.${encodePart(claims)}.`;
    response.writeHead(request.url === '/token' ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: token, expires_in: 600 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    tokenUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    stop: () => void server.close(),
  };
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
