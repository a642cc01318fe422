import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { requireJava } from '../../../../scripts/dev/local-kafka/java-process.ts';
import { choosePorts } from '../../../../scripts/dev/local-kafka/start-local-kafka.ts';

it.each(['/nowhere/bin/java', process.execPath])('says what to install in place of %s', async (command) => {
  const message = expect.stringContaining('install Java 17 or newer') as string;
  await expect(requireJava(command)).rejects.toMatchObject({ code: 'java-missing', message });
});

it('a requested port that is in use is refused, naming its option', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(choosePorts({ registryPort: port })).rejects.toMatchObject({
    code: 'port-in-use',
    message: expect.stringMatching(new RegExp(`port ${port} is in use.*--registry-port`)),
  });
  await once(server.close(), 'close');
});
