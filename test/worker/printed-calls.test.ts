import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startEngine } from '../support/worlds/engine-process.ts';
import { JWT_SECRET } from '../support/builders/access-token.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

async function start(env: Record<string, string>) {
  const engine = await startEngine([], { RATE_LIMIT_PER_SECOND: '0', ...env });
  onTestFinished(async () => void (await engine.end('SIGTERM')));
  return engine;
}

/** Runs `npm run token` with these arguments. */
function runToken(args: readonly string[], env: Record<string, string> = { AUTH_JWT_SECRET: JWT_SECRET }) {
  const command = ['scripts/token.ts', ...args];
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const ownEnv = { PATH, NODE_COMPILE_CACHE, ...env };
  return spawnSync(process.execPath, command, { cwd: ROOT, env: ownEnv, encoding: 'utf8' });
}

/** The statuses of the calls that the process has printed, each run by a shell as a reader would. */
function statusesOf(printed: string): string[] {
  const calls = printed.match(/^curl (?:.*\\\n)*.*$/gm) ?? [];
  return calls.map((call) => {
    const quiet = call.replace('curl -s', "curl -s -o /dev/null -w '%{http_code}'");
    return spawnSync('sh', ['-c', quiet], { encoding: 'utf8' }).stdout;
  });
}

it.each([
  ['without access control', {}],
  ['with AUTH_JWT_SECRET', { AUTH_JWT_SECRET: JWT_SECRET }],
  [
    'with its own issuer and audience',
    { AUTH_JWT_SECRET: JWT_SECRET, AUTH_ISSUER: 'bank', AUTH_AUDIENCE: 'loans' },
  ],
])('every call that a process prints is answered, %s', async (_, env) => {
  const engine = await start(env);
  expect(statusesOf(engine.stdout())).toEqual(['200', '202', '200', '200', '200', '202', '202']);
});

it('prints no token where others can call, and where it cannot sign one', async () => {
  const beyond = await start({ AUTH_JWT_SECRET: JWT_SECRET, HOST: '0.0.0.0' });
  const issued = await start({ AUTH_JWKS_URL: 'http://127.0.0.1:9/keys' });
  for (const printed of [beyond.stdout(), issued.stdout()]) {
    expect(printed.match(/^curl.*\n?.*Bearer \$TOKEN"/gm)).toHaveLength(7);
    expect(printed).not.toMatch(/eyJ/);
  }
});

it('npm run token signs tokens that a process admits, with their scopes', async () => {
  const engine = await start({ AUTH_JWT_SECRET: JWT_SECRET });
  const statusWith = async (...args: string[]) => {
    const token = runToken(args).stdout.trim();
    const url = `${engine.url}/api/operations/v1/system/settings`;
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
  };
  expect(await statusWith()).toBe(403);
  expect(await statusWith('--scope', 'operations:read', '--sub', 'ana', '--expires', '5m')).toBe(200);
});

it('npm run token describes a token as JSON', () => {
  const env = { AUTH_JWT_SECRET: JWT_SECRET, AUTH_AUDIENCE: 'loans' };
  const scopes = ['--scope', 'operations:read operations:write'];
  const { stdout } = runToken(['--json', '--sub', 'ana', '--expires', '30m', ...scopes], env);
  const { token, expiresAt, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
  expect(rest).toEqual({ sub: 'ana', aud: 'loans', scope: 'operations:read operations:write' });
  expect(String(token).split('.')).toHaveLength(3);
  const lifetimeMs = Date.parse(String(expiresAt)) - Date.now();
  expect(lifetimeMs).toBeGreaterThan(20 * 60_000);
  expect(lifetimeMs).toBeLessThanOrEqual(30 * 60_000);
});

it('npm run token refuses what no process would admit, all faults at once', () => {
  const wrong = runToken(['--scope', 'operations:all', '--expires', 'soon', '--sub', '', 'rest']);
  expect(wrong.status).toBe(2);
  for (const part of ['--scope must be', '--expires must be', '--sub must be', 'unexpected argument "rest"'])
    expect(wrong.stderr).toContain(part);
  const long = runToken(['--expires', '25h']);
  expect([long.status, long.stderr]).toEqual([2, expect.stringContaining('24h at most')]);
  const unsigned = runToken([], {});
  expect([unsigned.status, unsigned.stderr]).toEqual([2, expect.stringContaining('AUTH_JWT_SECRET')]);
  expect(runToken(['--help'], {}).stdout).toContain('Usage: npm run token');
});
