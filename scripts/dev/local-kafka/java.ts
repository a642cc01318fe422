import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LocalKafkaError } from './local-kafka-error.ts';
import { runCommand } from './run-command.ts';
import { MIN_JAVA_VERSION } from './versions.ts';

export interface Java {
  readonly command: string;
  /** The build, such as `17.0.15+6-Debian-1deb12u1`. */
  readonly build: string;
}

/** `java -version` takes less than a second, or several on a busy machine. */
const VERSION_LIMIT_MS = 60_000;

/** Heap of one broker or registry: enough for 12 partitions and messages of 8 MiB. */
const MAX_HEAP = '-Xmx384m';

/** Disables warnings of a Java that cannot use the class archive and starts without it. */
const QUIET = ['-Xlog:cds=off', '-Xlog:cds+dynamic=off'];

/** The path of the Java in JAVA_HOME, or else of the first one on the PATH. */
export function javaCommand(env: Readonly<Record<string, string | undefined>>): string {
  const home = env['JAVA_HOME'] ?? '';
  return home === '' ? 'java' : path.join(home, 'bin', 'java');
}

/** Checks that the Java can run a 4.x broker. Throws LocalKafkaError `java-missing` with what to install. */
export async function requireJava(command: string): Promise<Java> {
  const result = await runCommand(command, ['-version'], { limitMs: VERSION_LIMIT_MS });
  const advice = `install Java ${MIN_JAVA_VERSION} or newer (a JRE is enough) and put it on the PATH or into JAVA_HOME`;
  if (result.code === 'missing') {
    throw new LocalKafkaError('java-missing', `Java (${command}) is not installed: ${advice}`);
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

/** Parses the output of `java -version`, such as `openjdk version "17.0.15" ...`; version 8 is printed as `1.8.0`. */
export function parseJavaVersion(output: string): { major: number; build: string } | undefined {
  const version = /version "([^"]+)"/.exec(output)?.[1];
  const parts = version?.split('.') ?? [];
  const major = Number.parseInt((parts[0] === '1' ? parts[1] : parts[0]) ?? '', 10);
  if (version === undefined || Number.isNaN(major)) return undefined;
  const build = /\(build ([^,)]+)/.exec(output)?.[1] ?? version;
  return { major, build };
}

/**
 * Flags for short-lived processes: the first-tier compiler and the serial collector halve the start-up time. A process
 * without memory exits instead of continuing with errors.
 */
export function javaFlags(temporaryFolder: string): string[] {
  return [
    MAX_HEAP,
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-XX:-UsePerfData',
    '-XX:+ExitOnOutOfMemoryError',
    `-Djava.io.tmpdir=${temporaryFolder}`,
  ];
}

/** The flags for one start of Java, and a function to call after its exit. */
export interface ClassArchive {
  readonly flags: readonly string[];
  onExit(isClean: boolean): void;
}

/**
 * Archive of loaded classes (class data sharing) next to the jars, for one build of Java: halves the start-up time of broker
 * and registry. The first process with `mayRecord` writes it when it stops, which takes 2 s more; later ones use it.
 */
export function classArchive(
  folder: string,
  name: string,
  javaBuild: string,
  mayRecord = true,
): ClassArchive {
  const file = path.join(folder, `${name}-${javaBuild.replaceAll(/[^\w.+-]/g, '_')}.jsa`);
  if (existsSync(file)) {
    return { flags: [`-XX:SharedArchiveFile=${file}`, '-Xshare:auto', ...QUIET], onExit: ignoreExit };
  }
  if (!mayRecord) return { flags: [], onExit: ignoreExit };
  const scratch = `${file}.${process.pid}`;
  return {
    flags: [`-XX:ArchiveClassesAtExit=${scratch}`, ...QUIET],
    onExit: (isClean) => {
      if (!existsSync(scratch)) return;
      if (isClean) renameSync(scratch, file);
      else rmSync(scratch, { force: true });
    },
  };
}

function ignoreExit(): void {}
