import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Flags for one start of Java, and what to do once that process has ended. */
export interface ClassArchive {
  readonly flags: readonly string[];
  onExit(isClean: boolean): void;
}

/** Off: a Java that cannot use the archive goes on without, and must not warn into the log. */
const QUIET = ['-Xlog:cds=off', '-Xlog:cds+dynamic=off'];

/**
 * Archive of loaded classes (class data sharing): halves the start-up of broker and registry. The first start writes it
 * when it is stopped (which then takes 2 s longer), later ones map it. It lies beside the jars and fits one build of Java.
 */
export function classArchive(folder: string, name: string, javaBuild: string): ClassArchive {
  const file = archiveFile(folder, name, javaBuild);
  if (existsSync(file)) return { flags: mapFlags(folder, name, javaBuild), onExit: () => undefined };
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

/** Flags that map the archive if it was written already; none otherwise. */
export function mapFlags(folder: string, name: string, javaBuild: string): string[] {
  const file = archiveFile(folder, name, javaBuild);
  return existsSync(file) ? [`-XX:SharedArchiveFile=${file}`, '-Xshare:auto', ...QUIET] : [];
}

function archiveFile(folder: string, name: string, javaBuild: string): string {
  return path.join(folder, `${name}-${javaBuild.replaceAll(/[^\w.+-]/g, '_')}.jsa`);
}
