import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
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

/** Heap of one broker or registry; 12 partitions and messages of 8 MiB fit well. */
const MAX_HEAP = '-Xmx384m';

/** Off: a Java that cannot use the archive goes on without, and must not warn into the log. */
const QUIET = ['-Xlog:cds=off', '-Xlog:cds+dynamic=off'];

/** The Java to run: that of JAVA_HOME, else the first on the PATH. */
export function javaCommand(env: Readonly<Record<string, string | undefined>>): string {
  const home = env['JAVA_HOME'] ?? '';
  return home === '' ? 'java' : path.join(home, 'bin', 'java');
}

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

/**
 * For programs that start often and run briefly: first-tier compiler and the simplest collector halve the start-up, and an
 * end that is seen beats a process that limps on without memory.
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

/** Flags for one start of Java, and what to do once that process has ended. */
export interface ClassArchive {
  readonly flags: readonly string[];
  onExit(isClean: boolean): void;
}

/**
 * Archive of loaded classes (class data sharing), beside the jars, for one build of Java: halves the start-up of broker and
 * registry. The first start that may record it writes it when it is stopped (which then takes 2 s longer), later ones map it.
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
