/** `npm run dead-letters`: lists, shows, redrives, edits and discards dead letters, and marks notifications as sent. */
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { loadConfig } from '../shared/platform/load-config.ts';
import { errorText } from '../shared/platform/errors.ts';
import { signToken } from '../workers/ingress/access/sign-token.ts';
import { UsageError } from './command-line/parse-command-line.ts';
import { runCommandLine } from './command-line/run-command-line.ts';
import {
  type DeadLettersArguments,
  HELP,
  readDeadLettersArguments,
} from './dead-letters/dead-letters-arguments.ts';
import {
  type CommandReport,
  runDeadLettersCommand,
  createDeadLetterApi,
  toPlainJson,
} from './dead-letters/run-dead-letters.ts';

const TOKEN_LIFETIME_MS = 3_600_000;

const interruption = new AbortController();
process.once('SIGINT', () => {
  process.stderr.write('dead-letters: stopping after the current call\n');
  interruption.abort();
});

await runCommandLine({
  name: 'dead-letters',
  help: HELP,
  read: (args) => readDeadLettersArguments(args, Date.now()),
  run: async (args) => {
    const context = {
      api: await connectApi(args),
      onProgress: (line: string) => process.stderr.write(`${line}\n`),
      signal: interruption.signal,
    };
    print(args, await runDeadLettersCommand(args, context));
  },
});

async function connectApi({ url, 'token-file': file }: DeadLettersArguments) {
  const { http, auth } = loadConfig(process.env);
  const isAny = http.host === '0.0.0.0' || http.host === '::';
  const own = `http://${isAny ? '127.0.0.1' : http.host}:${http.port}`;
  const token = file === undefined ? await signed(auth) : read(file);
  return createDeadLetterApi((url ?? own).replace(/\/$/, ''), token);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--token-file cannot be read: ${errorText(error)}`);
  }
}

/** Signs a token that names the user of the operating system; undefined if AUTH_JWT_SECRET is not set. */
async function signed(auth: ReturnType<typeof loadConfig>['auth']): Promise<string | undefined> {
  if (auth.jwtSecret === undefined) return undefined;
  return signToken(auth, auth.jwtSecret, {
    subject: userInfo().username,
    scope: 'operations:read operations:write',
    issuedAtMs: Date.now(),
    lifetimeMs: TOKEN_LIFETIME_MS,
  });
}

function print({ name, json }: DeadLettersArguments, { ok, lines, result }: CommandReport): void {
  if (!ok) process.exitCode = 1;
  if (json) {
    process.stdout.write(`${toPlainJson({ command: name, ok, ...result })}\n`);
    return;
  }
  for (const line of lines) process.stdout.write(`${line}\n`);
}
