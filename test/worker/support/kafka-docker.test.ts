import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { KAFKA_IMAGE, REGISTRY_IMAGE } from '../../../scripts/dev/local-kafka/versions.ts';
import { ImageMissingError, startKafkaInDocker } from '../../support/kafka/docker.ts';

/** A Docker daemon without access to a registry. It has the given images and does not start containers. */
const folder = mkdtempSync(path.join(tmpdir(), 'docker-'));
const socket = path.join(folder, 'docker.sock');
const daemon = {
  images: [] as string[],
  pull: 'fails' as 'fails' | 'ends without saying',
  asked: [] as string[],
};
const server = createServer((request, response) => answer(request, response));

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const asked = `${method} ${decodeURIComponent(url).replace(/^\/v[\d.]+/, '')}`;
  daemon.asked.push(asked);
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const image = /^GET \/images\/(.+)\/json$/.exec(asked)?.[1];
  if (image !== undefined) {
    const isThere = daemon.images.includes(image);
    send(isThere ? 200 : 404, isThere ? { Id: image } : { message: `No such image: ${image}` });
  } else if (asked.startsWith('POST /images/create')) {
    if (daemon.pull === 'fails') send(500, { message: 'dial tcp: lookup registry.example: no such host' });
    else send(200, { error: 'no basic auth credentials' });
  } else if (asked.startsWith('GET /containers/json')) send(200, []);
  else if (asked === 'GET /info') send(200, { OperatingSystem: 'stand-in', OSType: 'linux', NCPU: 1 });
  else if (asked.startsWith('GET /networks')) send(200, { IPAM: { Config: [{ Gateway: '127.0.0.1' }] } });
  else send(500, { message: 'no container is started here' });
}

const pulls = () => daemon.asked.filter((line) => line.startsWith('POST /images/create'));

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  vi.stubEnv('DOCKER_HOST', `unix://${socket}`);
  vi.stubEnv('TESTCONTAINERS_RYUK_DISABLED', '');
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  daemon.asked = [];
  daemon.pull = 'fails';
});

it('names the image that cannot be pulled and the reason', async () => {
  const started = startKafkaInDocker();
  await expect(started).rejects.toBeInstanceOf(ImageMissingError);
  await expect(started).rejects.toThrow(new RegExp(`^image ${KAFKA_IMAGE} cannot be pulled: .*no such host`));
});

it('reports a pull that ends without the image', async () => {
  daemon.images = [KAFKA_IMAGE];
  daemon.pull = 'ends without saying';
  await expect(startKafkaInDocker()).rejects.toThrow(`image ${REGISTRY_IMAGE} cannot be pulled`);
});

it('explains how to disable Ryuk if only its image is missing', async () => {
  daemon.images = [KAFKA_IMAGE, REGISTRY_IMAGE];
  const started = startKafkaInDocker();
  await expect(started).rejects.toBeInstanceOf(ImageMissingError);
  await expect(started).rejects.toThrow(/Ryuk.*TESTCONTAINERS_RYUK_DISABLED=true.*no such host/);
  expect(pulls()).toEqual([expect.stringContaining('ryuk')]);
});

it('does not need the Ryuk image if Ryuk is disabled, and reports a container that does not start', async () => {
  vi.stubEnv('TESTCONTAINERS_RYUK_DISABLED', 'true');
  const started = startKafkaInDocker();
  await expect(started).rejects.toThrow('no container is started here');
  await expect(started).rejects.not.toBeInstanceOf(ImageMissingError);
  expect(pulls()).toEqual([]);
});
