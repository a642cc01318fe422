import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cacheDirectory, ensureFolder } from '../../../../scripts/dev/local-kafka/fetch-artifacts.ts';
import { choosePorts, findFreePorts, type Ports } from '../../../../scripts/dev/local-kafka/ports.ts';
import { LocalKafkaError } from '../../../../scripts/dev/local-kafka/local-kafka-error.ts';
import { javaCommand, parseJavaVersion, requireJava } from '../../../../scripts/dev/local-kafka/java.ts';

const MOST_WISHES = 10;

/** Requests a free port, and tries again if another process binds it first. */
async function choosePortsByWish(wishes = 1): Promise<{ wished: number; ports: Ports }> {
  const [wished = 0] = await findFreePorts(1);
  try {
    return { wished, ports: await choosePorts({ port: wished }) };
  } catch (error) {
    const isTaken = error instanceof LocalKafkaError && error.code === 'port-in-use';
    if (!isTaken || wishes === MOST_WISHES) throw error;
    return choosePortsByWish(wishes + 1);
  }
}

const noNetwork = () => Promise.reject(new Error('no network'));
const fetchJar = async (folder: string) => writeFileSync(path.join(folder, 'one.jar'), 'one');

describe('the requirements of the local broker', () => {
  it.each([
    [
      'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6-Debian)',
      17,
      '17.0.15+6-Debian',
    ],
    ['java version "21" 2023-09-19 LTS', 21, '21'],
    ['openjdk version "1.8.0_402"', 8, '1.8.0_402'],
    ['openjdk version "22-ea" 2024-03-19', 22, '22-ea'],
  ])('reads the version from %j', (output, major, build) => {
    expect(parseJavaVersion(output)).toEqual({ major, build });
  });

  it('names what to install if there is no Java', async () => {
    const asked = requireJava('/nowhere/bin/java');
    await expect(asked).rejects.toMatchObject({ code: 'java-missing' });
    await expect(asked).rejects.toThrow(/install Java 17 or newer/);
  });

  it('refuses a program that is not Java', async () => {
    expect(parseJavaVersion('command not found')).toBeUndefined();
    await expect(requireJava(process.execPath)).rejects.toMatchObject({ code: 'java-missing' });
  });

  it('caches the jars outside the checkout', () => {
    expect(cacheDirectory({}, '/home/someone')).toBe('/home/someone/.cache/banking-product-engine');
    expect(cacheDirectory({ XDG_CACHE_HOME: '/xdg' }, '/home/someone')).toBe('/xdg/banking-product-engine');
    expect(cacheDirectory({ XDG_CACHE_HOME: '/xdg', KAFKA_CACHE_DIR: '/jars' })).toBe('/jars');
    expect(cacheDirectory({ KAFKA_CACHE_DIR: '' }, '/h')).toBe('/h/.cache/banking-product-engine');
  });

  it('fetches jars once, and keeps nothing of a fetch that failed', async () => {
    const cache = mkdtempSync(path.join(tmpdir(), 'cache-test-'));
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
    const folder = path.join(cache, 'jars-1');
    await expect(ensureFolder(folder, noNetwork)).rejects.toThrow('no network');
    expect(readdirSync(cache)).toEqual([]);
    expect(await Promise.all([ensureFolder(folder, fetchJar), ensureFolder(folder, fetchJar)])).toEqual([
      folder,
      folder,
    ]);
    expect(await ensureFolder(folder, noNetwork)).toBe(folder);
    expect(readdirSync(cache)).toEqual(['jars-1']);
    expect(existsSync(path.join(folder, 'one.jar'))).toBe(true);
  });

  it('prefers the Java of JAVA_HOME', () => {
    expect(javaCommand({ JAVA_HOME: '/jdk' })).toBe('/jdk/bin/java');
    expect(javaCommand({})).toBe('java');
  });

  it('chooses distinct ports below the range for outgoing connections', async () => {
    const { plans, registryPort } = await choosePorts({ nodes: 3 });
    const ports = [registryPort, ...plans.flatMap((plan) => [plan.brokerPort, plan.controllerPort])];
    expect(new Set(ports).size).toBe(7);
    for (const port of ports) expect(port).toBeLessThan(32_768);
  });

  it('uses the requested ports', async () => {
    const { wished, ports } = await choosePortsByWish();
    expect(ports.plans[0]?.brokerPort).toBe(wished);
  });

  it('refuses a requested port that is in use, naming its option', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve());
    });
    const { port } = server.address() as AddressInfo;
    const taken = choosePorts({ registryPort: port });
    await expect(taken).rejects.toThrow(`port ${port} is in use`);
    await expect(taken).rejects.toThrow('--registry-port');
    await expect(taken).rejects.toMatchObject({ code: 'port-in-use' });
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
});
