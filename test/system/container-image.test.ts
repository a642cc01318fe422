import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, listen } from '../../shared/platform/http-server.ts';
import { runEngine, startEngine } from '../support/worlds/engine-process.ts';

/** Runs the settings and commands of the Dockerfile with the Node of this machine. */
const root = path.resolve(import.meta.dirname, '../..');
const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
const SECRET = 'for-trying-out-on-this-machine-only';

const imageEnvironment: Record<string, string> = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

describe('a container without further settings', () => {
  it('listens on all addresses when access keys are configured', async () => {
    const engine = await startEngine([], { ...imageEnvironment, AUTH_JWT_SECRET: SECRET });
    onTestFinished(() => void engine.child.kill('SIGKILL'));
    expect(engine.url).toMatch(/^http:\/\/0\.0\.0\.0:/);
  });

  it('exits with code 2 without access keys, naming the setting', async () => {
    const { code, stderr } = await runEngine([], imageEnvironment);
    expect([code, stderr]).toEqual([2, expect.stringContaining('AUTH_JWT_SECRET')]);
  });

  it('has an outbox folder that its user owns', () => {
    expect(dockerfile).toMatch(/^RUN mkdir var && chown node:node var$[\s\S]*^USER node$/m);
  });
});

describe('the health check of the image', () => {
  const [, json = '[]'] = /HEALTHCHECK[^[]*\\\n\s+CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [command = '', ...args] = JSON.parse(json) as string[];
  const check = (env: Readonly<Record<string, string>>): Promise<number | null> =>
    new Promise((resolve) => {
      spawn(process.execPath, args, { env: { ...env }, stdio: 'inherit' }).once('exit', resolve);
    });

  it('queries readiness on HEALTH_PORT, or on PORT if that is not set', async () => {
    expect(command).toBe('node');
    const paths: (string | undefined)[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.writeHead(status).end('{}');
    });
    const { port } = new URL(await listen(server, '127.0.0.1', 0));
    expect(await check({ PORT: port })).toBe(0);
    expect(await check({ HEALTH_PORT: port, PORT: '1' })).toBe(0);
    status = 503;
    expect(await check({ HEALTH_PORT: port })).toBe(1);
    expect(paths).toEqual(['/health/ready', '/health/ready', '/health/ready']);
    await closeServer(server);
    expect(await check({ HEALTH_PORT: port })).toBe(1);
  });

  it('does not load fetch, which would multiply its CPU time', () => {
    expect(args.join(' ')).not.toContain('fetch(');
  });
});
