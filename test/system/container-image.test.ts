import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runEngine, startEngine } from '../support/worlds/engine-process.ts';

/** What the image and docker-compose.yml say, run by this machine's Node in place of the image's. */
const root = path.resolve(import.meta.dirname, '../..');
const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
const SECRET = 'for-trying-out-on-this-machine-only';

const imageEnvironment: Record<string, string> = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

describe('a bare container of the image', () => {
  it('listens beyond loopback where it has keys for access tokens', async () => {
    const engine = await startEngine([], { ...imageEnvironment, AUTH_JWT_SECRET: SECRET });
    onTestFinished(() => void engine.child.kill('SIGKILL'));
    expect(engine.url).toMatch(/^http:\/\/0\.0\.0\.0:/);
  });

  it('says that it needs them where it has none', async () => {
    const { code, stderr } = await runEngine([], imageEnvironment);
    expect([code, stderr]).toEqual([2, expect.stringContaining('AUTH_JWT_SECRET')]);
  });

  it('has a folder of its user for the outbox', () => {
    expect(dockerfile).toMatch(/^RUN mkdir var && chown node:node var$[\s\S]*^USER node$/m);
  });

  it('does not start where the outbox cannot be written, and names the setting', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'image-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(path.join(folder, 'file'), '');
    const OUTBOX_FOLDER = path.join(folder, 'file', 'outbox');
    const { code, stderr } = await runEngine([], { OUTBOX_FOLDER });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/OUTBOX_FOLDER: .*cannot be written \(ENOTDIR/),
    ]);
    expect(stderr).toContain('NOTIFICATION_CONFIG_FILE');
  });
});

describe('the health check of the image', () => {
  const [, json = '[]'] = /HEALTHCHECK[^[]*\\\n\s+CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [command = '', ...args] = JSON.parse(json) as string[];
  const check = (env: Readonly<Record<string, string>>): Promise<number | null> =>
    new Promise((resolve) => {
      spawn(process.execPath, args, { env: { ...env }, stdio: 'inherit' }).once('exit', resolve);
    });

  it('asks the ingress by PORT, any other process by HEALTH_PORT, whether it is ready', async () => {
    expect(command).toBe('node');
    const asked: (string | undefined)[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = String((server.address() as AddressInfo).port);
    expect(await check({ PORT: port })).toBe(0);
    expect(await check({ HEALTH_PORT: port, PORT: '1' })).toBe(0);
    status = 503;
    expect(await check({ HEALTH_PORT: port })).toBe(1);
    expect(asked).toEqual(['/health/ready', '/health/ready', '/health/ready']);
    await new Promise((resolve) => server.close(resolve));
    expect(await check({ HEALTH_PORT: port })).toBe(1);
  });

  it('does without fetch, which costs more processor time than the rest of the check', () => {
    expect(args.join(' ')).not.toContain('fetch(');
  });
});
