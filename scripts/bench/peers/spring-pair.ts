/** The Spring Boot programs of scripts/bench/peers/spring, which Maven builds when they are first needed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { LoopResult } from '../load.ts';
import { type Child, OWN_SESSION, whenReady } from '../processes.ts';
import { javaCommand, requireJava } from '../../dev/local-kafka/java.ts';
import { runCommand } from '../../dev/local-kafka/run-command.ts';
import { errorText } from '../../../shared/platform/errors.ts';

const FOLDER = path.join(import.meta.dirname, 'spring');
const JAR = path.join(FOLDER, 'target', 'spring-peer.jar');
/** Loading Spring, its plug-ins and Tomcat over a slow network takes minutes. */
const BUILD_LIMIT_MS = 10 * 60_000;
const ANSWER_MARGIN_MS = 60_000;
/** A small service on two cores: the serial collector uses the least processor time, the heap stays below its limit. */
export const JVM_FLAGS = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC'] as const;

/** The programs that the jar contains. */
export type SpringPart = 'http' | 'template' | 'echo';

/** The path of Java, with the jar built; undefined, with a report, if Java or Maven is missing or the build fails. */
export async function buildSpringPair(progress: (text: string) => void): Promise<string | undefined> {
  const command = javaCommand(process.env);
  try {
    await requireJava(command);
    if (!isBuilt()) await build(progress);
    return command;
  } catch (error) {
    progress(`the Spring pair is left out: ${errorText(error)}`);
    return undefined;
  }
}

async function build(progress: (text: string) => void): Promise<void> {
  progress('building the Spring pair with Maven (once)');
  const args = ['-B', '-q', '-DskipTests', 'package'];
  const { code, output } = await runCommand('mvn', args, { limitMs: BUILD_LIMIT_MS, cwd: FOLDER });
  if (code === 'missing') throw new Error('Maven (mvn) is not installed');
  if (code !== 0) throw new Error(`mvn package exited with ${code}\n${output.trim()}`);
}

/** Starts a part of the pair; resolves when it is ready, for `http` with its address in the output. */
export function startSpring(
  java: string,
  part: SpringPart,
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  const child = spawn(java, [...JVM_FLAGS, '-jar', JAR, `--spring.profiles.active=${part}`], {
    ...OWN_SESSION,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  return whenReady(child, `the Spring part ${part}`, /READY .*\n/);
}

/** Runs a closed loop of the template for a time; resolves with its figures. */
export async function askTemplate(
  { process: child }: Child,
  window: number,
  forMs: number,
): Promise<LoopResult> {
  if (child.stdin === null || child.stdout === null) throw new Error('the template has no standard streams');
  const signal = AbortSignal.timeout(forMs + ANSWER_MARGIN_MS);
  const answer = once(child.stdout, 'data', { signal });
  child.stdin.write(`${window} ${forMs}\n`);
  const [line] = (await answer) as [Buffer];
  return JSON.parse(line.toString('utf8')) as LoopResult;
}

/** Whether the jar is newer than all sources. */
function isBuilt(): boolean {
  if (!existsSync(JAR)) return false;
  const builtMs = statSync(JAR).mtimeMs;
  const sources = ['pom.xml', 'src'].flatMap((name) => {
    const place = path.join(FOLDER, name);
    if (!statSync(place).isDirectory()) return [place];
    return readdirSync(place, { recursive: true, encoding: 'utf8' }).map((file) => path.join(place, file));
  });
  return sources.every((file) => statSync(file).mtimeMs <= builtMs);
}
