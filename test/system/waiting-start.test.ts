import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { describe, it, type TestContext } from 'vitest';
import { findFreePorts } from '../../scripts/dev/local-kafka/free-ports.ts';
import { listenOnFreePort } from '../support/free-port.ts';
import { runEngine, spawnEngine, spawnScript } from '../support/worlds/engine-process.ts';
import { beginRecalculation, portfolio, portfolioFolder } from '../support/worlds/recalculate-process.ts';

type After = TestContext['onTestFinished'];
/** Each test starts processes of its own and mostly waits for them. */
const AT_A_TIME = { concurrent: true };

const POLL = { timeout: 60_000 };

type Answer = (response: ServerResponse) => void;
const refuse: Answer = (response) =>
  response.writeHead(401).end('{"error_code":40101,"message":"unknown user"}');
const register: Answer = (response) => response.end('{"id":1,"version":1}');
const stayOpen: Answer = () => undefined;

async function startRegistry(answer: Answer, after: After) {
  const state = { answer };
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    state.answer(response);
  });
  const url = `http://127.0.0.1:${await listening(server, after)}`;
  return { url, state };
}

async function listening(server: Server, after: After): Promise<number> {
  after(() => void server.close());
  return listenOnFreePort(server);
}

/** Starts a process whose health server can be queried while startup is still waiting. */
async function spawnWithHealth(env: Readonly<Record<string, string>>) {
  const [port = 0] = await findFreePorts(1);
  const engine = spawnEngine(['schedule'], { ...env, HEALTH_PORT: String(port) });
  const statusOf = async (address: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}${address}`).then(
      ({ status }) => status,
      () => 0,
    );
  return { ...engine, statusOf };
}

describe('startup without a schema registry', AT_A_TIME, () => {
  it('is live but not ready, logs that it waits, and completes when the registry responds', async ({
    expect,
    onTestFinished,
  }) => {
    const registry = await startRegistry(stayOpen, onTestFinished);
    const engine = await spawnWithHealth({ SCHEMA_REGISTRY_URL: registry.url });
    await expect.poll(() => engine.statusOf('/health/live'), POLL).toBe(200);
    await expect
      .poll(() => engine.stderr(), POLL)
      .toMatch(/waiting for the schema registry, at most \d+ s more: .*: no answer within 2000 ms/);
    expect(await engine.statusOf('/health/ready')).toBe(503);
    registry.state.answer = register;
    await expect.poll(() => engine.stdout(), POLL).toContain('Ready in');
    await expect.poll(() => engine.statusOf('/health/ready'), POLL).toBe(200);
    engine.child.kill('SIGTERM');
    expect(await engine.ended).toBe(0);
  });

  it('exits with 1 immediately if the registry refuses the credentials', async ({
    expect,
    onTestFinished,
  }) => {
    const registry = await startRegistry(refuse, onTestFinished);
    const { code, stderr } = await runEngine(['schedule'], { SCHEMA_REGISTRY_URL: registry.url });
    expect([code, stderr]).toEqual([1, expect.stringContaining('unknown user')]);
    expect(stderr).not.toContain('waiting for');
  });
});

describe('a command that deployments run before the workers', AT_A_TIME, () => {
  const unreachable = { KAFKA_BROKERS: '127.0.0.1:9', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:2' };
  const begin = (args: readonly string[], after: After) => {
    const script = spawnScript(args, unreachable);
    after(() => void script.child.kill('SIGKILL'));
    return script;
  };

  it.for([
    ['topics', ['create']],
    ['schemas', ['register']],
    ['catalogue', ['publish', 'shared/product/example-catalogue']],
  ] as const)('%s logs that it waits, and why', async ([name, args], { expect, onTestFinished }) => {
    const script = begin([`scripts/${name}.ts`, ...args], onTestFinished);
    await expect.poll(script.stderr, POLL).toMatch(/waiting for .*, at most \d+ s more: .*ECONNREFUSED/);
  });

  it('fails without waiting if it only reads', async ({ expect, onTestFinished }) => {
    const script = begin(['scripts/topics.ts', 'list'], onTestFinished);
    expect(await script.ended).toBe(1);
    expect(script.stderr()).toContain('ECONNREFUSED');
    expect(script.stderr()).not.toContain('waiting for');
  });
});

describe('startup without Kafka', AT_A_TIME, () => {
  it.for([
    ['refuses connections', 'refusing'],
    ['accepts connections and never responds', 'unresponsive'],
  ] as const)(
    'exits with 0 on SIGTERM while it waits for a broker that %s',
    async ([, kind], { expect, onTestFinished }) => {
      const server = createTcpServer();
      const port = await listening(server, onTestFinished);
      if (kind === 'refusing') await new Promise((resolve) => server.close(resolve));
      let connections = 0;
      server.on('connection', () => (connections += 1));
      const engine = await spawnWithHealth({ KAFKA_BROKERS: `127.0.0.1:${port}` });
      const isWaiting = (): boolean =>
        kind === 'unresponsive' ? connections > 0 : /waiting for Kafka.*ECONNREFUSED/.test(engine.stderr());
      await expect.poll(isWaiting, POLL).toBe(true);
      expect(await engine.statusOf('/health/live')).toBe(200);
      expect(await engine.statusOf('/health/ready')).toBe(503);
      engine.child.kill('SIGTERM');
      // A process that exceeds the drain timeout by some seconds exits with code 1.
      expect(await engine.ended).toBe(0);
    },
  );
});

describe('a recalculation without Kafka', () => {
  const unreachable = { KAFKA_BROKERS: '127.0.0.1:9' };

  it('logs that it waits, and ends on a signal without changing anything', async ({ expect }) => {
    const files = portfolioFolder();
    const output = files.at('out.ndjson');
    const run = beginRecalculation(
      ['--input', files.write('in.ndjson', portfolio(1)), '--output', output],
      unreachable,
    );
    await expect
      .poll(() => run.stderr(), POLL)
      .toMatch(/waiting for Kafka and the schema registry, at most \d+ s more: .*ECONNREFUSED/);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(3);
    expect(run.stderr()).toContain('nothing was changed');
    expect(existsSync(output)).toBe(false);
  });
});
