import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { renderStartBanner } from '../../workers/start-banner.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { WORKER_NAMES } from '../../workers/worker-list.ts';
import { JWT_SECRET } from '../support/builders/access-token.ts';
import { startEngine } from '../support/worlds/engine-process.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const UNLIMITED = { RATE_LIMIT_PER_SECOND: '0' };

function printed(env: Record<string, string>, url = 'http://127.0.0.1:8080'): Promise<string> {
  return renderStartBanner({
    config: loadConfig(env),
    names: WORKER_NAMES,
    url,
    healthUrl: undefined,
    startMs: 1,
    nowMs: Date.now(),
  });
}

function runToken(
  args: readonly string[],
  settings: Record<string, string> = { AUTH_JWT_SECRET: JWT_SECRET },
) {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...settings };
  return spawnSync(process.execPath, ['scripts/token.ts', ...args], { cwd: ROOT, env, encoding: 'utf8' });
}

/** The statuses of the printed calls, each run by a shell as a reader would. */
async function statusesOf(text: string): Promise<string[]> {
  const statuses: string[] = [];
  for (const call of text.match(/^curl (?:.*\\\n)*.*$/gm) ?? []) {
    const quiet = call.replace('curl -s', "curl -s -o /dev/null -w '%{http_code}'");
    statuses.push((await promisify(execFile)('sh', ['-c', quiet])).stdout);
  }
  return statuses;
}
const ANSWERED = ['200', '202', '200', '200', '200', '202', '202'];

it('every call that a process prints is answered', async () => {
  const engine = await startEngine([], UNLIMITED);
  onTestFinished(async () => void (await engine.end('SIGTERM')));
  expect(await statusesOf(engine.stdout())).toEqual(ANSWERED);
});

it('prints no token where others can call, and where it cannot sign one', async () => {
  const beyond = await printed({ AUTH_JWT_SECRET: JWT_SECRET, HOST: '0.0.0.0' });
  const issued = await printed({ AUTH_JWKS_URL: 'http://127.0.0.1:9/keys' });
  for (const text of [beyond, issued]) {
    expect(text.match(/^curl.*\n?.*Bearer \$TOKEN"/gm)).toHaveLength(7);
    expect(text).not.toMatch(/eyJ/);
  }
});

it('npm run token signs tokens that a process admits, with their scopes, as are the printed calls', async () => {
  const env = { AUTH_JWT_SECRET: JWT_SECRET, AUTH_ISSUER: 'bank', AUTH_AUDIENCE: 'loans' };
  const config = loadConfig({ PORT: '0', DATA_DIR: 'memory', ...UNLIMITED, ...env });
  const system = await startWorkers({ config, names: WORKER_NAMES, log: silentLog });
  onTestFinished(() => system.stop(0));
  const { url: address = '' } = system;
  expect(await statusesOf(await printed(env, address))).toEqual(ANSWERED);
  const statusWith = async (token: string) => {
    const url = `${address}/api/operations/v1/system/settings`;
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
  };
  expect(await statusWith(runToken([], env).stdout.trim())).toBe(403);
  const scopes = ['--scope', 'operations:read operations:write'];
  const { stdout } = runToken(['--json', '--sub', 'ana', '--expires', '30m', ...scopes], env);
  const { token, expiresAt, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
  expect(rest).toEqual({ sub: 'ana', aud: 'loans', scope: 'operations:read operations:write' });
  const lifetimeMs = Date.parse(String(expiresAt)) - Date.now();
  expect(lifetimeMs).toBeGreaterThan(20 * 60_000);
  expect(lifetimeMs).toBeLessThanOrEqual(30 * 60_000);
  expect(await statusWith(String(token))).toBe(200);
});

it('npm run token refuses what no process would admit, all faults at once', () => {
  const wrong = runToken(['--scope', 'operations:all', '--expires', '25h', '--sub', '', 'rest']);
  expect(wrong.status).toBe(2);
  const faults = '--scope must be,--expires must be,24h at most,--sub must be,unexpected argument "rest"';
  for (const part of faults.split(',')) expect(wrong.stderr).toContain(part);
  const unsigned = runToken([], {});
  expect([unsigned.status, unsigned.stderr]).toEqual([2, expect.stringContaining('AUTH_JWT_SECRET')]);
});
