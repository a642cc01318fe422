import { LocalKafkaError } from './local-kafka-error.ts';
import { runCommand } from './run-command.ts';
import { MIN_JAVA_VERSION } from './versions.ts';

export interface Java {
  readonly command: string;
  /** As the Java names itself, such as `17.0.15+6-Debian-1deb12u1`. */
  readonly build: string;
}

/** `java -version` takes well under a second, on a busy machine a few. */
const VERSION_LIMIT_MS = 20_000;

/** Makes sure that the Java can run a 4.x broker. Throws LocalKafkaError `java-missing` saying what to install. */
export async function requireJava(command: string): Promise<Java> {
  const result = await runCommand(command, ['-version'], { limitMs: VERSION_LIMIT_MS });
  const advice = `install Java ${MIN_JAVA_VERSION} or newer (a JRE is enough) and put it on the PATH or into JAVA_HOME`;
  if (result.code === 'missing') {
    throw new LocalKafkaError('java-missing', `there is no Java (${command}): ${advice}`);
  }
  const version = parseJavaVersion(result.output);
  if (result.code !== 0 || version === undefined) {
    throw new LocalKafkaError(
      'java-missing',
      `${command} -version failed: ${result.output.trim()}; ${advice}`,
    );
  }
  if (version.major < MIN_JAVA_VERSION) {
    throw new LocalKafkaError('java-missing', `Java ${version.major} (${command}) is too old: ${advice}`);
  }
  return { command, build: version.build };
}

/** Reads what `java -version` prints: `openjdk version "17.0.15" ...` and the build; 8 calls itself `1.8.0`. */
export function parseJavaVersion(output: string): { major: number; build: string } | undefined {
  const version = /version "([^"]+)"/.exec(output)?.[1];
  const parts = version?.split('.') ?? [];
  const major = Number.parseInt((parts[0] === '1' ? parts[1] : parts[0]) ?? '', 10);
  if (version === undefined || Number.isNaN(major)) return undefined;
  const build = /\(build ([^,)]+)/.exec(output)?.[1] ?? version;
  return { major, build };
}
