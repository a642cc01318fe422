import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
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

/** The folder of downloaded jars, outside the checkout: KAFKA_CACHE_DIR, or below XDG_CACHE_HOME, or below ~/.cache. */
export function cacheDirectory(
  env: Readonly<Record<string, string | undefined>>,
  home: string = homedir(),
): string {
  if (isSet(env['KAFKA_CACHE_DIR'])) return path.resolve(env['KAFKA_CACHE_DIR']);
  const base = isSet(env['XDG_CACHE_HOME']) ? env['XDG_CACHE_HOME'] : path.join(home, '.cache');
  return path.join(base, 'banking-product-engine');
}

/** Returns the folder with the jars of Kafka, its runtime dependencies and the log binding. */
export function ensureKafka(cacheFolder: string, report: Report): Promise<string> {
  return ensureFolder(path.join(cacheFolder, `kafka-${KAFKA_VERSION}`), async (folder) => {
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
  });
}

/** Returns the folder with the unpacked Apicurio Registry. */
export function ensureRegistry(cacheFolder: string, report: Report): Promise<string> {
  return ensureFolder(path.join(cacheFolder, `apicurio-registry-${REGISTRY_VERSION}`), async (folder) => {
    report(`fetching Apicurio Registry ${REGISTRY_VERSION} with Maven (about 110 MB, once)`);
    await runMaven(folder, [
      `${MAVEN_DEPENDENCY_PLUGIN}:unpack`,
      `-Dartifact=io.apicurio:apicurio-registry-app:${REGISTRY_VERSION}:tar.gz:all`,
      `-DoutputDirectory=${folder}`,
    ]);
  });
}

/**
 * Returns the folder, and fills it first unless it exists. It appears complete, by a single rename; if several processes fill it
 * at the same time, the first one wins.
 */
export async function ensureFolder(
  folder: string,
  fetchInto: (folder: string) => Promise<void>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  const scratch = `${folder}.${randomUUID()}`;
  mkdirSync(scratch, { recursive: true });
  try {
    await fetchInto(scratch);
    renameSync(scratch, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
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

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
