import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFreePorts } from '../../scripts/dev/local-kafka/ports.ts';
import { runEngine, spawnEngine } from '../support/worlds/engine-process.ts';
import { beginRecalculation, portfolio, portfolioFolder } from '../support/worlds/recalculate-process.ts';

/** The process gives a sign within this, on a busy machine too. */
const BUSY = { timeout: 60_000 };

type Answer = (response: ServerResponse, id: number) => void;
const refuse: Answer = (response) =>
  response.writeHead(401).end('{"error_code":40101,"message":"who are you"}');
const register: Answer = (response, id) => response.end(JSON.stringify({ id, version: 1 }));
const stayMute: Answer = () => undefined;

/** A schema registry that knows every schema it is asked for, once `answer` lets it. */
async function startRegistry(answer: Answer) {
  let asked = 0;
  const state = { answer };
  const server = createServer((request, response) => {
    request.resume();
    asked += 1;
    response.setHeader('content-type', 'application/json');
    state.answer(response, asked);
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  return { url, state, asked: () => asked };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A started process with the address of its health server, which answers before the start is over. */
async function beginEngine(env: Readonly<Record<string, string>>) {
  const [port = 0] = await findFreePorts(1);
  const engine = spawnEngine(['schedule'], { ...env, HEALTH_PORT: String(port) });
  const ended = new Promise((resolve) => {
    engine.child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const statusOf = async (address: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}${address}`).then(
      ({ status }) => status,
      () => 0,
    );
  return { ...engine, ended, statusOf };
}

describe('a start whose schema registry does not answer yet', () => {
  it('is alive and not ready, says what it waits for, and goes on when the registry answers', async () => {
    const registry = await startRegistry(stayMute);
    const engine = await beginEngine({ SCHEMA_REGISTRY_URL: registry.url });
    await expect.poll(() => engine.statusOf('/health/live'), BUSY).toBe(200);
    await expect
      .poll(() => engine.stderr(), BUSY)
      .toMatch(/waiting for the schema registry, at most \d+ s more: .*: no answer within 2000 ms/);
    expect(await engine.statusOf('/health/ready')).toBe(503);
    registry.state.answer = register;
    await expect.poll(() => engine.stdout(), BUSY).toContain('Ready in');
    await expect.poll(() => engine.statusOf('/health/ready'), BUSY).toBe(200);
    engine.child.kill('SIGTERM');
    expect(await engine.ended).toBe(0);
  });

  it('gives up after START_TIMEOUT_MS, naming the setting and the reason', async () => {
    const { url } = await startRegistry(stayMute);
    const { code, stderr } = await runEngine(['schedule'], {
      SCHEMA_REGISTRY_URL: url,
      START_TIMEOUT_MS: '1',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('the schema registry was not available within 1 s (START_TIMEOUT_MS)');
    expect(stderr).toContain('no answer within 2000 ms');
  });

  it('ends at once when the registry refuses the credentials', async () => {
    const registry = await startRegistry(refuse);
    const { code, stderr } = await runEngine(['schedule'], { SCHEMA_REGISTRY_URL: registry.url });
    expect([code, stderr]).toEqual([1, expect.stringContaining('who are you')]);
    expect(stderr).not.toContain('waiting for');
  });
});

describe('a command that deployments run before the workers', () => {
  const nothingThere = {
    KAFKA_BROKERS: '127.0.0.1:9',
    SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9',
    START_TIMEOUT_MS: '1',
  };
  const runScript = (args: readonly string[]) =>
    spawnSync(process.execPath, args, {
      cwd: path.resolve(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'] ?? '', ...nothingThere },
      encoding: 'utf8',
    });

  it.each([
    ['topics', ['create'], 1],
    ['schemas', ['register'], 1],
    ['catalogue', ['publish', 'shared/product/example-catalogue'], 3],
  ] as const)('%s waits, and names START_TIMEOUT_MS when it gives up', (name, args, code) => {
    const { status, stderr } = runScript([`scripts/${name}.ts`, ...args]);
    expect([status, stderr]).toEqual([
      code,
      expect.stringMatching(/was not available within 1 s \(START_TIME/),
    ]);
  });

  it('answers a question without waiting', () => {
    const { status, stderr } = runScript(['scripts/topics.ts', 'list']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(stderr).not.toContain('START_TIMEOUT_MS');
  });
});

describe('a recalculation whose Kafka cannot be reached', () => {
  const unreachable = { KAFKA_BROKERS: '127.0.0.1:9' };

  it('waits for it and says so; a signal ends it at once, and nothing is changed', async () => {
    const files = portfolioFolder();
    const output = files.at('out.ndjson');
    const run = beginRecalculation(
      ['--input', files.write('in.ndjson', portfolio(1)), '--output', output],
      unreachable,
    );
    await expect
      .poll(() => run.stderr(), BUSY)
      .toMatch(/waiting for Kafka and the schema registry, at most \d+ s more: .*ECONNREFUSED/);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(3);
    expect(run.stderr()).toContain('nothing was changed');
    expect(existsSync(output)).toBe(false);
  });

  it('gives up after START_TIMEOUT_MS with the code of a wrong configuration', async () => {
    const files = portfolioFolder();
    const args = ['--input', files.write('in.ndjson', portfolio(1)), '--output', files.at('out.ndjson')];
    const run = beginRecalculation(args, { ...unreachable, START_TIMEOUT_MS: '1' });
    expect([await run.ended, run.stderr()]).toEqual([2, expect.stringContaining('START_TIMEOUT_MS')]);
  });
});

describe('a start whose Kafka does not answer', () => {
  it.each([
    ['refuses connections', 'refusing'],
    ['takes connections and never answers', 'mute'],
  ] as const)('ends at SIGTERM at once with code 0 while it waits for one that %s', async (_, kind) => {
    const server = createTcpServer();
    const port = await listening(server);
    if (kind === 'refusing') await new Promise((resolve) => server.close(resolve));
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const engine = await beginEngine({ KAFKA_BROKERS: `127.0.0.1:${port}` });
    const isWaiting = (): boolean =>
      kind === 'mute' ? connections > 0 : /waiting for Kafka.*ECONNREFUSED/.test(engine.stderr());
    await expect.poll(isWaiting, BUSY).toBe(true);
    expect(await engine.statusOf('/health/live')).toBe(200);
    expect(await engine.statusOf('/health/ready')).toBe(503);
    engine.child.kill('SIGTERM');
    // A process that takes longer to end than its drain, and some seconds, is ended with code 1.
    expect(await engine.ended).toBe(0);
  });
});
