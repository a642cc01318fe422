/**
 * What runs as real Kafka beside the project: the local broker, the test containers and docker-compose.yml use the same
 * versions. Kafka 4.3.1 is the newest 4.x whose published jars are complete (4.4.0 names a jar that was not published).
 * Apicurio Registry 3.0.9 is the newest 3.x that runs on Java 17 (3.3 is compiled for Java 21).
 */
export const KAFKA_VERSION = '4.3.1';
export const REGISTRY_VERSION = '3.0.9';
export const KAFKA_IMAGE = `apache/kafka:${KAFKA_VERSION}`;
export const REGISTRY_IMAGE = `apicurio/apicurio-registry:${REGISTRY_VERSION}`;

/** Where Apicurio speaks the Confluent registry protocol; SCHEMA_REGISTRY_URL ends in it. */
export const REGISTRY_CONFLUENT_PATH = '/apis/ccompat/v7';

/** Kafka 4.x brokers need Java 17. */
export const MIN_JAVA_VERSION = 17;

/** Binding of SLF4J to the log4j of Kafka's own dependencies; without it a broker that fails says nothing. */
export const LOG4J_BINDING_VERSION = '2.25.4';
export const MAVEN_DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.9.0';
