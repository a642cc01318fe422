/**
 * The versions of the local broker, the test containers and docker-compose.yml. Kafka 4.3.1 is the newest 4.x whose published
 * jars are complete (4.4.0 depends on an unpublished jar). Apicurio Registry 3.0.9 is the newest 3.x that runs on Java 17
 * (3.3 is compiled for Java 21).
 */
export const KAFKA_VERSION = '4.3.1';
export const REGISTRY_VERSION = '3.0.9';
export const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}`;
export const REGISTRY_IMAGE = `apicurio/apicurio-registry:${REGISTRY_VERSION}`;

/** The path of Apicurio's Confluent-compatible API, with which SCHEMA_REGISTRY_URL ends. */
export const REGISTRY_CONFLUENT_PATH = '/apis/ccompat/v7';

/** Required by Kafka 4.x brokers. */
export const MIN_JAVA_VERSION = 17;

/** Binds SLF4J to the log4j of Kafka's dependencies; without it a failing broker logs nothing. */
export const LOG4J_BINDING_VERSION = '2.25.4';
export const MAVEN_DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.9.0';
