import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Artifact, ensureArtifact } from './artifact-cache.ts';
import { LocalKafkaError } from './local-kafka-error.ts';
import { runCommand } from './run-command.ts';
import {
  KAFKA_VERSION,
  LOG4J_BINDING_VERSION,
  MAVEN_DEPENDENCY_PLUGIN,
  REGISTRY_VERSION,
} from './versions.ts';

type Report = (line: string) => void;

/** Enough for 110 MB (registry) over a slow connection. */
const FETCH_LIMIT_MS = 10 * 60_000;

/** Returns the folder with the jars of Kafka, its runtime dependencies and the log binding. */
export function ensureKafka(cacheFolder: string, report: Report): Promise<string> {
  const artifact: Artifact = {
    name: `kafka-${KAFKA_VERSION}`,
    fetchInto: async (folder) => {
      report(`fetching Apache Kafka ${KAFKA_VERSION} with Maven into ${cacheFolder} (about 50 MB, once)`);
      const pom = path.join(folder, 'pom.xml');
      writeFileSync(pom, renderPom());
      await runMaven(folder, [
        '-f',
        pom,
        `${MAVEN_DEPENDENCY_PLUGIN}:copy-dependencies`,
        `-DoutputDirectory=${folder}`,
        '-DincludeScope=runtime',
      ]);
    },
  };
  return ensureArtifact(cacheFolder, artifact, report);
}

/** Returns the folder with the unpacked Apicurio Registry. */
export function ensureRegistry(cacheFolder: string, report: Report): Promise<string> {
  const artifact: Artifact = {
    name: `apicurio-registry-${REGISTRY_VERSION}`,
    fetchInto: async (folder) => {
      report(`fetching Apicurio Registry ${REGISTRY_VERSION} with Maven (about 110 MB, once)`);
      mkdirSync(folder, { recursive: true });
      await runMaven(folder, [
        `${MAVEN_DEPENDENCY_PLUGIN}:unpack`,
        `-Dartifact=io.apicurio:apicurio-registry-app:${REGISTRY_VERSION}:tar.gz:all`,
        `-DoutputDirectory=${folder}`,
      ]);
    },
  };
  return ensureArtifact(cacheFolder, artifact, report);
}

/** Class path of a folder of jars, sorted, since a class archive is valid only for the same class path. */
export function classPathOf(folder: string): string {
  const jars = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  return jars
    .toSorted()
    .map((name) => path.join(folder, name))
    .join(path.delimiter);
}

async function runMaven(cwd: string, args: readonly string[]): Promise<void> {
  const maven = process.platform === 'win32' ? 'mvn.cmd' : 'mvn';
  const result = await runCommand(maven, ['-B', '-q', ...args], { cwd, limitMs: FETCH_LIMIT_MS });
  if (result.code === 'missing') {
    throw new LocalKafkaError(
      'maven-missing',
      'Maven (mvn) is required to fetch the jars of Kafka and not installed: install it, or set KAFKA_BROKERS to a running Kafka',
    );
  }
  if (result.code === 0) return;
  const reason = result.output.split('\n').find((line) => line.includes('[ERROR]'));
  throw new LocalKafkaError(
    'fetch-failed',
    `Maven could not fetch the jars: ${(reason ?? result.output).trim()}\n` +
      'Check the network, or the mirror and proxy in the settings.xml of Maven.',
  );
}

function renderPom(): string {
  return `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>kafka-jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>${LOG4J_BINDING_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;
}
