import { parseArgs } from 'node:util';
import { errorText } from '../../../shared/platform/errors.ts';
import { LocalKafkaError } from './local-kafka-error.ts';

export const HELP = `Usage: npm run kafka -- [OPTIONS]

Starts Apache Kafka (KRaft) and a schema registry on 127.0.0.1 with the local Java, for development and tests.
The first start fetches the jars with Maven. Ctrl-C stops everything.

  --nodes 1|3          brokers, each also a controller (1)
  --port PORT          port of the first broker, the others take the next ones (free ports)
  --registry-port PORT port of the schema registry (a free port)
  --no-registry        Kafka only
  --data DIR           keep the data in DIR and use it again next time (a temporary folder, removed at the end)
  --outlive-parent     go on when the process that started this one ends
  --json               print one line of JSON instead of text once everything is ready
  --help               this text

Environment: JAVA_HOME, KAFKA_CACHE_DIR (folder of the fetched jars).
Exit codes: 0 stopped on request, 1 a broker failed, 2 wrong usage, 3 Java or Maven is missing, 4 port in use,
5 fetching failed.
`;

export interface KafkaArguments {
  readonly help: boolean;
  readonly json: boolean;
  readonly outliveParent: boolean;
  readonly nodes: 1 | 3;
  readonly registry: boolean;
  readonly port?: number;
  readonly registryPort?: number;
  readonly dataDirectory?: string;
}

const MAX_PORT = 65_535;

/** Reads the command line of `npm run kafka`. Throws LocalKafkaError `wrong-usage` naming the option. */
export function parseArguments(args: readonly string[]): KafkaArguments {
  const values = readValues(args);
  const nodes = values.nodes ?? '1';
  if (nodes !== '1' && nodes !== '3') throw wrong(`--nodes must be 1 or 3, not ${nodes}`);
  if (values['no-registry'] === true && values['registry-port'] !== undefined) {
    throw wrong('--no-registry and --registry-port exclude each other');
  }
  const port = readPort('--port', values.port, Number(nodes));
  const registryPort = readPort('--registry-port', values['registry-port'], 1);
  if (values.data === '') throw wrong('--data needs a folder');
  return {
    help: values.help ?? false,
    json: values.json ?? false,
    outliveParent: values['outlive-parent'] ?? false,
    nodes: nodes === '1' ? 1 : 3,
    registry: values['no-registry'] !== true,
    ...(port === undefined ? {} : { port }),
    ...(registryPort === undefined ? {} : { registryPort }),
    ...(values.data === undefined ? {} : { dataDirectory: values.data }),
  };
}

function readValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      options: {
        nodes: { type: 'string' },
        port: { type: 'string' },
        'registry-port': { type: 'string' },
        'no-registry': { type: 'boolean' },
        data: { type: 'string' },
        'outlive-parent': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw wrong(errorText(error));
  }
}

/** `width` ports from the given one must exist. */
function readPort(option: string, text: string | undefined, width: number): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port + width - 1 > MAX_PORT) {
    throw wrong(`${option} must be a port from 1 to ${MAX_PORT - width + 1}, not ${text}`);
  }
  return port;
}

function wrong(message: string): LocalKafkaError {
  return new LocalKafkaError('wrong-usage', `${message}; see --help`);
}
