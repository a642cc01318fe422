import { readFileSync } from 'node:fs';
import { ConfigError, MessagingError } from '../../platform/errors.ts';
import { readJsonAnswer } from '../../platform/bounded-answer.ts';

export interface KafkaSettings {
  /** Bootstrap servers: `host:port` of some brokers of the cluster. */
  readonly brokers: readonly string[];
  /** TLS with files in PEM format. Without it, connections are not encrypted. */
  readonly ssl?: KafkaSsl | undefined;
  readonly sasl?: KafkaSasl | undefined;
  /** Called with the topic of each record batch that cannot be read and is therefore logged and skipped. */
  readonly onUnreadable?: ((topic: string) => void) | undefined;
}

interface KafkaSsl {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** A login may involve an authorisation server. kafkajs gives a join, which may wait, more time than `requestMs`. */
export const LIMITS = { connectMs: 3_000, loginMs: 10_000, requestMs: 5_000 } as const;

/** Returns an address of the form host:port and throws ConfigError for any other: kafkajs would fail much later. */
export function checkAddress(address: string): string {
  if (/^[^:\s]+:\d{1,5}$/.test(address)) return address;
  throw new ConfigError(`KAFKA_BROKERS: "${address}" does not have the form host:port`);
}

/** Puts a random broker first: a client stays with the first one, even if it accepts connections but never answers. */
export function rotateRandomly<Broker>(brokers: readonly Broker[]): Broker[] {
  const first = Math.floor(Math.random() * brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

/** Throws ConfigError if a file cannot be read. */
export function readCertificates({ caFile, certFile, keyFile }: KafkaSsl) {
  return {
    ca: readPem('KAFKA_SSL_CA_FILE', caFile),
    cert: readPem('KAFKA_SSL_CERT_FILE', certFile),
    key: readPem('KAFKA_SSL_KEY_FILE', keyFile),
  };
}

function readPem(setting: string, file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`${setting}: the file cannot be read`);
  }
}

interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512' | 'oauthbearer';
  readonly username: string;
  readonly password: string;
  /** Token endpoint for oauthbearer (OAuth 2.0 client credentials): username and password are client id and secret. */
  readonly tokenUrl?: string | undefined;
}

const TOKEN_REQUEST_TIMEOUT_MS = 5_000;
/** A token is renewed this long before it expires, so that it does not expire before the broker has checked it. */
const TOKEN_MARGIN_MS = 30_000;
/** Assumed if the endpoint returns no lifetime, which RFC 6749 (section 5.1) only recommends. */
const DEFAULT_TOKEN_LIFE_SECONDS = 300;

/** The returned function requests a token and caches it until shortly before it expires. Rejects without a token. */
export function createTokenProvider(sasl: KafkaSasl): () => Promise<string> {
  let token: Awaited<ReturnType<typeof requestToken>> | undefined;
  let pending: ReturnType<typeof requestToken> | undefined;
  return async () => {
    if (token === undefined || Date.now() >= token.endsAtMs) {
      pending ??= requestToken(sasl).finally(() => {
        pending = undefined;
      });
      token = await pending;
    }
    return token.value;
  };
}

async function requestToken({ tokenUrl, username, password }: KafkaSasl) {
  if (tokenUrl === undefined) throw refused('there is no token endpoint');
  const credentials = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
    signal: AbortSignal.timeout(TOKEN_REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw refused(`the token endpoint returned ${response.status}`);
  const body = (await readJsonAnswer(response)) as { access_token?: unknown; expires_in?: unknown };
  if (typeof body.access_token !== 'string') throw refused('the token endpoint returned no access_token');
  const seconds = typeof body.expires_in === 'number' ? body.expires_in : DEFAULT_TOKEN_LIFE_SECONDS;
  return { value: body.access_token, endsAtMs: Date.now() + seconds * 1_000 - TOKEN_MARGIN_MS };
}

function refused(reason: string): MessagingError {
  return new MessagingError('broker-refused', `login with oauthbearer: ${reason}`, { canRetry: true });
}
