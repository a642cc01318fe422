/** `npm run token`: signs an access token with AUTH_JWT_SECRET. */
import { ConfigError } from '../shared/platform/errors.ts';
import { loadConfig } from '../shared/platform/load-config.ts';
import { durationUpTo } from '../shared/platform/settings.ts';
import { MAX_TOKEN_LIFETIME_MS } from '../workers/ingress/access/jwt-access.ts';
import { signToken } from '../workers/ingress/access/sign-token.ts';
import {
  flag,
  parseCommandLine,
  parsed,
  refuseFaults,
  textList,
  unexpectedArguments,
} from './command-line/parse-command-line.ts';
import { runCommandLine } from './command-line/run-command-line.ts';

const HELP = `Usage: npm run token -- [OPTIONS]

Prints an access token for an ingress with the same settings, signed with AUTH_JWT_SECRET.

  --scope SCOPE      what the token allows besides calls: operations:read, operations:write; may be repeated
  --sub NAME         the caller whom the token identifies (default demo, as in the calls that npm start prints)
  --expires DURATION for example 10s, 5m or 2h (default 1h); at most 24h, since an ingress refuses tokens that last longer
  --json             one JSON document with the token and its content
  --help             this text

  curl -H "authorization: Bearer $(npm run --silent token)" ...

Environment: AUTH_JWT_SECRET (required) or AUTH_JWT_SECRET_FILE, AUTH_AUDIENCE, AUTH_ISSUER.
Exit codes: 0 signed, 2 wrong usage or settings.
`;

const SCOPES: readonly string[] = ['operations:read', 'operations:write'];

const OPTIONS = {
  scope: textList(),
  sub: parsed((text) => (text === '' ? undefined : text), 'the name of a caller'),
  expires: parsed(
    (text) => durationUpTo(MAX_TOKEN_LIFETIME_MS, 'longer tokens are refused').safeParse(text).data,
    'a duration such as 10s, 5m or 1h, of 24h at most',
  ),
  json: flag(),
};

await runCommandLine({
  name: 'token',
  help: HELP,
  read: (args) => parseCommandLine(args, OPTIONS),
  run: async (line) => {
    process.stdout.write(`${await sign(line)}\n`);
  },
});

async function sign({
  values,
  positionals,
  faults,
}: NonNullable<ReturnType<typeof parseCommandLine<typeof OPTIONS>>>): Promise<string> {
  const scopes = values.scope.flatMap((text) => text.split(' ').filter((scope) => scope !== ''));
  const isKnown = scopes.every((scope) => SCOPES.includes(scope));
  refuseFaults([
    ...faults,
    ...(isKnown ? [] : [`--scope must be ${SCOPES.join(' or ')}`]),
    ...unexpectedArguments(positionals),
  ]);
  const { auth } = loadConfig(process.env);
  if (auth.jwtSecret === undefined)
    throw new ConfigError('AUTH_JWT_SECRET is not set; set it to the secret of the ingress');
  const { sub: subject = 'demo', expires: lifetimeMs = 3_600_000, json } = values;
  const scope = scopes.join(' ');
  const issuedAtMs = Date.now();
  const token = await signToken(auth, auth.jwtSecret, { subject, scope, issuedAtMs, lifetimeMs });
  const expiresAt = new Date(issuedAtMs + lifetimeMs).toISOString();
  return json ? JSON.stringify({ token, sub: subject, scope, aud: auth.audience, expiresAt }) : token;
}
