import path from 'node:path';
import { classArchive, javaFlags, type Java } from './java.ts';
import { startJava, waitUntilReady } from './java-process.ts';
import type { LocalRun } from './local-run.ts';
import { REGISTRY_CONFLUENT_PATH, REGISTRY_VERSION } from './versions.ts';

export interface RegistrySetup {
  readonly java: Java;
  /** Folder of the unpacked Apicurio Registry. */
  readonly registryFolder: string;
  readonly run: LocalRun;
  readonly port: number;
}

const PROBE_LIMIT_MS = 2_000;

/** Starts Apicurio Registry, which keeps its schemas in memory, and waits until it responds. Throws LocalKafkaError with the end of its log. */
export async function startRegistry(setup: RegistrySetup): Promise<void> {
  const { folder } = setup.run;
  const jar = path.join(setup.registryFolder, `apicurio-registry-app-${REGISTRY_VERSION}-runner.jar`);
  const java = startJava(
    {
      label: 'schema registry',
      command: setup.java.command,
      args: [
        ...javaFlags(path.join(folder, 'tmp')),
        '-Dquarkus.http.host=127.0.0.1',
        `-Dquarkus.http.port=${setup.port}`,
        '-Dquarkus.banner.enabled=false',
        '-Dquarkus.log.level=WARN',
        '-Dquarkus.http.access-log.enabled=false',
        '-jar',
        jar,
      ],
      folder,
      logFile: path.join(folder, 'registry.log'),
      archive: classArchive(setup.registryFolder, 'registry', setup.java.build),
    },
    setup.run,
  );
  setup.run.processes.push(java);
  await waitUntilReady(java, () => isReady(setup.port));
}

export function registryUrl(port: number): string {
  return `http://127.0.0.1:${port}${REGISTRY_CONFLUENT_PATH}`;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
    const [health, subjects] = await Promise.all([
      fetch(`http://127.0.0.1:${port}/health/ready`, { signal }),
      fetch(`${registryUrl(port)}/subjects`, { signal }),
    ]);
    await Promise.all([health.body?.cancel(), subjects.body?.cancel()]);
    return health.ok && subjects.ok;
  } catch {
    return false;
  }
}
