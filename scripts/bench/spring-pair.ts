/** The two Spring Boot programs of scripts/bench/spring, which Maven builds when they are first needed. */

import { existsSync, globSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorText } from '../../shared/platform/errors.ts';
import { runProgram } from '../command-line/run-program.ts';
import { javaCommand, requireJava } from '../dev/local-kafka/java-process.ts';
import { type Child, startJava } from './processes.ts';

const FOLDER = path.join(import.meta.dirname, 'spring');
const JAR = path.join(FOLDER, 'target', 'spring-peer.jar');
/** Loading Spring, its plug-ins and Tomcat over a slow network takes minutes. */
const BUILD_LIMIT_MS = 10 * 60_000;
/** A small service on two cores: the serial collector uses the least processor time, the heap stays below its limit. */
const JVM_FLAGS = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC'];

/** The path of Java, with the jar built; undefined, with a report, if Java or Maven is missing or the build fails. */
export async function buildSpringPair(progress: (text: string) => void): Promise<string | undefined> {
  const command = javaCommand();
  try {
    await requireJava(command);
    if (!isBuilt()) await build(progress);
    return command;
  } catch (error) {
    progress(`the Spring pair is left out: ${errorText(error)}`);
    return undefined;
  }
}

/** Starts a part of the pair; resolves when it is ready, the endpoint with its address in the output. */
export function startSpring(
  java: string,
  part: 'http' | 'echo',
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  const args = [...JVM_FLAGS, '-jar', JAR, `--spring.profiles.active=${part}`];
  return startJava(java, args, /READY .*\n/, env);
}

async function build(progress: (text: string) => void): Promise<void> {
  progress('building the Spring pair with Maven (once)');
  const args = ['-B', '-q', '-DskipTests', 'package'];
  const { code, output } = await runProgram('mvn', args, { limitMs: BUILD_LIMIT_MS, cwd: FOLDER });
  if (code === 'missing') throw new Error('Maven (mvn) is not installed');
  if (code !== 0) throw new Error(`mvn package exited with ${code}\n${output.trim()}`);
}

/** Whether the jar is newer than all sources. */
function isBuilt(): boolean {
  if (!existsSync(JAR)) return false;
  const sources = globSync(['pom.xml', 'src/**/*'], { cwd: FOLDER });
  return sources.every((file) => statSync(path.join(FOLDER, file)).mtimeMs <= statSync(JAR).mtimeMs);
}
