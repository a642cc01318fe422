import { readJsonAnswer } from '../../../../platform/bounded-answer.ts';
import { MessagingError } from '../../../../platform/errors.ts';

/** Login settings (`config.kafka.sasl`). */
export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512' | 'oauthbearer';
  readonly username: string;
  readonly password: string;
  /** Token endpoint for oauthbearer (OAuth 2.0 client credentials): username and password are client id and secret. */
  readonly tokenUrl?: string | undefined;
}

const TOKEN_REQUEST_TIMEOUT_MS = 5_000;
/** A token is renewed this long before it expires, so that none expires between the request and the broker's check. */
const TOKEN_MARGIN_MS = 30_000;
/** Assumed if the endpoint does not return a lifetime (RFC 6749 section 5.1 only recommends it). */
const DEFAULT_TOKEN_LIFE_SECONDS = 300;
const MS_PER_SECOND = 1_000;

/** Requests tokens with client credentials, and caches each until shortly before it expires: every connection needs one. */
export function createTokenProvider(sasl: KafkaSasl): () => Promise<string> {
  let token: CachedToken | undefined;
  let pending: Promise<CachedToken> | undefined;
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

interface CachedToken {
  readonly value: string;
  readonly endsAtMs: number;
}

async function requestToken({ tokenUrl, username, password }: KafkaSasl): Promise<CachedToken> {
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
  return { value: body.access_token, endsAtMs: Date.now() + seconds * MS_PER_SECOND - TOKEN_MARGIN_MS };
}

function refused(reason: string): MessagingError {
  return new MessagingError('broker-refused', `login with oauthbearer: ${reason}`, { canRetry: true });
}
