import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { requireJava } from '../../../../scripts/dev/local-kafka/java-process.ts';
import { choosePorts } from '../../../../scripts/dev/local-kafka/start-local-kafka.ts';

it('a machine without Java is told what to install', async () => {
  const asked = requireJava('/nowhere/bin/java');
  await expect(asked).rejects.toMatchObject({ code: 'java-missing' });
  await expect(asked).rejects.toThrow(/install Java 17 or newer/);
});

it('a program that is not Java is refused', async () => {
  await expect(requireJava(process.execPath)).rejects.toMatchObject({ code: 'java-missing' });
});

it('a requested port that is in use is refused, naming its option', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  await expect(choosePorts({ registryPort: port })).rejects.toMatchObject({
    code: 'port-in-use',
    message: expect.stringMatching(new RegExp(`port ${port} is in use.*--registry-port`)),
  });
  await new Promise((resolve) => {
    server.close(resolve);
  });
});
