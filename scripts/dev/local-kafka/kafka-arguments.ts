import {
  flag,
  oneOf,
  wholeNumber,
  parseCommandLine,
  refuseFaults,
  unexpectedArguments,
} from '../../command-line/parse-command-line.ts';

export const HELP = `Usage: npm run kafka -- [OPTIONS]

Starts Apache Kafka (KRaft) and a schema registry on 127.0.0.1 with the local Java, for development and tests.
The first start fetches the jars with Maven. Ctrl-C stops everything.

  --nodes 1|3          brokers, each also a controller (1)
  --port PORT          port of the first broker; the others use the next ports (free ports)
  --registry-port PORT port of the schema registry (a free port)
  --no-registry        Kafka only
  --outlive-parent     keep running when the process that started this one ends
  --json               print one line of JSON instead of text once everything is ready
  --help               this text

Environment: JAVA_HOME, KAFKA_CACHE_DIR (folder of the fetched jars).
Exit codes: 0 stopped on request, 1 a broker failed, 2 wrong usage, 3 Java or Maven is missing, 4 port in use,
5 fetching failed.
`;

export type KafkaArguments = NonNullable<ReturnType<typeof parseArguments>>;

const MAX_PORT = 65_535;

const OPTIONS = {
  nodes: oneOf(['1', '3']),
  port: wholeNumber(1, MAX_PORT),
  'registry-port': wholeNumber(1, MAX_PORT),
  'no-registry': flag(),
  /** Only with-node.mjs reads this option. */
  'outlive-parent': flag(),
  json: flag(),
};

/** Returns undefined for --help. Throws UsageError: first for an unknown option, then with all other faults. */
export function parseArguments(args: readonly string[]) {
  const line = parseCommandLine(args, OPTIONS);
  if (line === undefined) return undefined;
  const { values } = line;
  const { port, 'registry-port': registryPort } = values;
  const nodes: 1 | 3 = values.nodes === '3' ? 3 : 1;
  const faults = [...line.faults, ...unexpectedArguments(line.positionals)];
  if (values['no-registry'] && registryPort !== undefined) {
    faults.push('--no-registry and --registry-port exclude each other');
  }
  if (port !== undefined && port + nodes - 1 > MAX_PORT) {
    faults.push(`--port must be a port from 1 to ${MAX_PORT - nodes + 1} with --nodes ${nodes}`);
  }
  refuseFaults(faults);
  return { json: values.json, nodes, registry: !values['no-registry'], port, registryPort };
}
