import { existsSync, fstatSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DiskCalls } from '../../../shared/messaging/data-file.ts';
import { sleep, type Timers } from '../../../shared/platform/system-ports.ts';
import type { Picks } from '../random/pick.ts';
import { SCRATCH_ROOT } from '../scratch-root.ts';

const PAGE_BYTES = 4_096;
/** Short, so that runs of a few records move it to the file too. */
const CHECKPOINT_BYTES = 60_000;

/** What the disk does wrong at present; to be changed at any time. */
export interface DiskFaults {
  isFull: boolean;
  failedSyncPercent: number;
  /** The longest time of a sync in milliseconds; 0: it ends in the same turn. */
  slowestSyncMs: number;
}

/** A process with a data file: its calls end with it, and fail when they come later. */
export interface DiskProcess {
  readonly calls: DiskCalls;
  /** The process ends as by kill -9: what it wrote stays in the page cache. */
  kill(): void;
  isRunning(): boolean;
}

class SimulatedFile {
  readonly path: string;
  #synced: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.path = file;
  }

  read(): Buffer {
    return existsSync(this.path) ? readFileSync(this.path) : Buffer.alloc(0);
  }

  sync(content: Buffer): void {
    this.#synced = content;
  }

  /** Each page that was not synced is as it was written, or as it was before; the end of the file may be lost. */
  losePower(picks: Picks): void {
    const written = this.read();
    const synced = this.#synced;
    if (written.equals(synced)) return;
    const isShorter = written.length < synced.length;
    const content = isShorter ? picks.of(written, synced) : mix(written, synced, picks);
    writeFileSync(this.path, content);
    this.#synced = content;
  }
}

/** The beginning of a file that was written in part, of its pages some. */
function mix(written: Buffer, synced: Buffer, picks: Picks): Buffer {
  const content = Buffer.alloc(picks.whole(synced.length, written.length));
  for (let at = 0; at < content.length; at += PAGE_BYTES) {
    const source = picks.chance(50) ? written : synced;
    source.subarray(at, Math.min(at + PAGE_BYTES, content.length)).copy(content, at);
  }
  return content;
}

/** A loss of power loses what was not synced since, page by page in any order; the seed makes all choices. */
export class SimulatedDisk {
  readonly faults: DiskFaults = { isFull: false, failedSyncPercent: 0, slowestSyncMs: 0 };
  readonly folder = mkdtempSync(path.join(SCRATCH_ROOT, 'simulated-disk-'));
  readonly #picks: Picks;
  readonly #timers: Timers;
  readonly #file = new SimulatedFile(path.join(this.folder, 'broker.db'));
  readonly #log = new SimulatedFile(path.join(this.folder, 'broker.db-wal'));
  readonly #processes = new Set<DiskProcess>();
  #callsLeft = Infinity;

  constructor(picks: Picks, timers: Timers) {
    this.#picks = picks;
    this.#timers = timers;
  }

  start(): DiskProcess {
    let database: DatabaseSync | undefined;
    let hasStarted = false;
    const isRunning = (): boolean => this.#processes.has(started);
    const started: DiskProcess = {
      calls: {
        checkpointBytes: CHECKPOINT_BYTES,
        open: (file) => {
          this.#require(started);
          database = new DatabaseSync(file);
          return database;
        },
        commit: (opened) => {
          // SQLite itself has synced what it found at the start.
          if (!hasStarted) this.#syncAll();
          hasStarted = true;
          this.#require(started);
          if (this.faults.isFull) throw new Error('database or disk is full');
          opened.exec('COMMIT');
          this.#require(started);
        },
        sync: (fd) => this.#sync(started, fd),
      },
      kill: () => {
        if (!this.#processes.delete(started)) return;
        const [file, log] = [this.#file.read(), this.#log.read()];
        // SQLite syncs at the start, and when it closes a file.
        if (database !== undefined && (!hasStarted || !database.isOpen)) this.#syncAll();
        // This would move the log to the file.
        if (database?.isOpen !== true) return;
        database.close();
        writeFileSync(this.#file.path, file);
        writeFileSync(this.#log.path, log);
      },
      isRunning,
    };
    this.#processes.add(started);
    return started;
  }

  /** All processes end as by kill -9 in the call after this number of calls. */
  killAfter(calls: number): void {
    this.#callsLeft = calls;
  }

  losePower(): void {
    for (const one of this.#processes) one.kill();
    this.#file.losePower(this.#picks);
    this.#log.losePower(this.#picks);
  }

  remove(): void {
    for (const one of this.#processes) one.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #require(owner: DiskProcess): void {
    this.#callsLeft -= 1;
    if (this.#callsLeft < 0) {
      this.#callsLeft = Infinity;
      for (const one of this.#processes) one.kill();
    }
    if (!owner.isRunning()) throw systemError('EBADF');
  }

  #syncAll(): void {
    for (const one of [this.#file, this.#log]) one.sync(one.read());
  }

  async #sync(owner: DiskProcess, fd: number): Promise<void> {
    this.#require(owner);
    const { slowestSyncMs, failedSyncPercent } = this.faults;
    const isFile = fstatSync(fd).ino === statSync(this.#file.path).ino;
    const synced = isFile ? this.#file : this.#log;
    const content = synced.read();
    if (slowestSyncMs > 0) await sleep(this.#timers, this.#picks.share() * slowestSyncMs);
    this.#require(owner);
    if (this.#picks.chance(failedSyncPercent)) throw systemError('EIO');
    synced.sync(content);
  }
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the simulated disk`), { code, syscall: 'fdatasync' });
}
