import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { LocalKafkaError } from './local-kafka-error.ts';
import { runProgram } from '../../command-line/run-program.ts';

/** The newest Kafka 4.x whose published jars are complete. */
const KAFKA_VERSION = '4.3.1';
/** The newest Apicurio 3.x that runs on Java 17. */
export const REGISTRY_VERSION = '3.0.9';
export const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}`;
export const REGISTRY_IMAGE = `apicurio/apicurio-registry:${REGISTRY_VERSION}`;
export const REGISTRY_CONFLUENT_PATH = '/apis/ccompat/v7';

/** log4j-slf4j-impl binds SLF4J to the log4j of Kafka's dependencies; without it a failing broker logs nothing. */
const LOG4J_BINDING_VERSION = '2.25.4';
const MAVEN_DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.9.0';

type Report = (line: string) => void;

const FETCH_LIMIT_MS = 10 * 60_000;

/** All checkouts share the folder of downloaded jars: KAFKA_CACHE_DIR, or below XDG_CACHE_HOME, or below ~/.cache. */
function cacheFolder(): string {
  const { KAFKA_CACHE_DIR: own, XDG_CACHE_HOME: base } = process.env;
  return own
    ? path.resolve(own)
    : path.join(base || path.join(homedir(), '.cache'), 'banking-product-engine');
}

/** Returns the folder of Kafka's jars, fetched once. Rejects with LocalKafkaError `maven-missing` or `fetch-failed`. */
export function ensureKafka(report: Report): Promise<string> {
  return ensureFolder(path.join(cacheFolder(), `kafka-${KAFKA_VERSION}`), async (folder) => {
    report(`fetching Apache Kafka ${KAFKA_VERSION} with Maven into ${cacheFolder()} (about 50 MB, once)`);
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

/** Returns the folder of the unpacked registry, fetched once. Rejects like {@link ensureKafka}. */
export function ensureRegistry(report: Report): Promise<string> {
  return ensureFolder(path.join(cacheFolder(), `apicurio-registry-${REGISTRY_VERSION}`), async (folder) => {
    report(`fetching Apicurio Registry ${REGISTRY_VERSION} with Maven (about 110 MB, once)`);
    await runMaven(folder, [
      `${MAVEN_DEPENDENCY_PLUGIN}:unpack`,
      `-Dartifact=io.apicurio:apicurio-registry-app:${REGISTRY_VERSION}:tar.gz:all`,
      `-DoutputDirectory=${folder}`,
    ]);
  });
}

/** Fills the folder unless it exists. It appears only when complete. If several processes fill it, the first wins. */
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

/** The class path of a folder of jars, sorted, because a class archive is valid only for the same class path. */
export function classPathOf(folder: string): string {
  const jars = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  return jars
    .toSorted()
    .map((name) => path.join(folder, name))
    .join(path.delimiter);
}

async function runMaven(cwd: string, args: readonly string[]): Promise<void> {
  const maven = process.platform === 'win32' ? 'mvn.cmd' : 'mvn';
  const result = await runProgram(maven, ['-B', '-q', ...args], { cwd, limitMs: FETCH_LIMIT_MS });
  if (result.code === 'missing') {
    throw new LocalKafkaError(
      'maven-missing',
      'Maven (mvn), which fetches the jars of Kafka, is not installed: install it, or set KAFKA_BROKERS to a running Kafka',
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

function dependency(group: string, name: string, version: string): string {
  return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
}

function renderPom(): string {
  return `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>kafka-jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', KAFKA_VERSION)}
    ${dependency('org.apache.logging.log4j', 'log4j-slf4j-impl', LOG4J_BINDING_VERSION)}
  </dependencies>
</project>
`;
}
