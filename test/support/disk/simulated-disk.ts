import path from 'node:path';
import { dataInUse } from '../../../shared/messaging/disk/disk-errors.ts';
import type { DiskIo } from '../../../shared/messaging/disk/disk-io.ts';
import type { Timers } from '../../../shared/platform/timers.ts';
import { sleep } from '../../../shared/platform/timers.ts';
import type { Picks } from '../random/pick.ts';

/** A disk writes whole sectors: a crash leaves each with what it had, or with what was written to it. */
const SECTOR_BYTES = 512;
/** Of sectors that were not synced, in percent: those that a power loss leaves as they were, and those with a wrong bit. */
const UNWRITTEN_PERCENT = 45;
const FLIPPED_PERCENT = 5;

/** What the disk does wrong at present; to be changed at any time. */
export interface DiskFaults {
  /** Writes that need space fail with ENOSPC, after a part of them was written. */
  isFull: boolean;
  /** Percent of the syncs that fail with EIO: what they should write is lost, and the next sync does not report it. */
  failedSyncPercent: number;
  /** The longest time of a sync in milliseconds; 0: it ends in the same turn. */
  slowestSyncMs: number;
}

/** A process and the disk: its calls end with it, and fail when they come later. */
export interface DiskProcess {
  readonly io: DiskIo;
  /** The process ends as by kill -9: its locks are released, and what it wrote stays in the page cache. */
  kill(): void;
  isRunning(): boolean;
}

type Change =
  | { readonly kind: 'write'; readonly position: number; readonly content: Buffer }
  | { readonly kind: 'truncate'; readonly bytes: number };

/** A change of the entries of one or two folders, durable when one of them is synced. */
interface EntryChange {
  readonly folders: readonly SimulatedFolder[];
  readonly apply: (kind: 'current' | 'durable') => void;
}

/**
 * A file system in memory that keeps apart what is on the disk and what only the page cache has. A power loss loses changes
 * that were not synced, in any order and by single sectors, and damages some; changes of folders are lost from a random one
 * on, as by a journal of the file system. All choices come from the seed.
 */
export class SimulatedDisk {
  readonly faults: DiskFaults = { isFull: false, failedSyncPercent: 0, slowestSyncMs: 0 };
  readonly #picks: Picks;
  readonly #timers: Timers;
  readonly #root = new SimulatedFolder();
  /** Changes of folders that were not synced. */
  #changes: EntryChange[] = [];
  readonly #processes = new Set<DiskProcess>();
  readonly #locks = new Map<string, DiskProcess>();
  #syncs = 0;
  #callsLeft = Infinity;

  constructor(picks: Picks, timers: Timers) {
    this.#picks = picks;
    this.#timers = timers;
  }

  /** Calls of sync so far. */
  get syncs(): number {
    return this.#syncs;
  }

  /** A new process. */
  start(): DiskProcess {
    const started: DiskProcess = {
      io: this.#ioOf(
        () => started,
        (call) => this.#require(started, call),
      ),
      kill: () => {
        this.#processes.delete(started);
        for (const [folder, owner] of this.#locks) if (owner === started) this.#locks.delete(folder);
      },
      isRunning: () => this.#processes.has(started),
    };
    this.#processes.add(started);
    return started;
  }

  /** All processes end as by kill -9 in the call after this number of calls; a write is then done in part. */
  killAfter(calls: number): void {
    this.#callsLeft = calls;
  }

  /** Ends all processes, and loses or damages what was not synced. */
  losePower(): void {
    for (const one of this.#processes) one.kill();
    for (const change of this.#changes.slice(0, this.#picks.whole(0, this.#changes.length))) {
      change.apply('durable');
    }
    this.#changes = [];
    this.#root.losePower(this.#picks);
  }

  /** Changes a byte of a file on the disk, as a failing medium does. */
  damage(file: string, position: number): void {
    this.#file(file, 'write').damage(position);
  }

  #require(owner: DiskProcess, call: string): void {
    this.#callsLeft -= 1;
    if (this.#callsLeft < 0) {
      this.#callsLeft = Infinity;
      for (const one of this.#processes) one.kill();
    }
    if (!this.#processes.has(owner)) throw systemError('EBADF', call);
  }

  #ioOf(owner: () => DiskProcess, check: (call: string) => void): DiskIo {
    const open = new Map<number, SimulatedFile>();
    let nextFd = 3;
    const at = (fd: number, call: string): SimulatedFile => {
      check(call);
      const file = open.get(fd);
      if (file === undefined) throw systemError('EBADF', call);
      return file;
    };
    return {
      open: (file, mode) => {
        check('open');
        if (mode === 'new') this.#create(file);
        open.set(nextFd, this.#file(file, 'open'));
        if (mode === 'new') open.get(nextFd)?.truncate(0);
        nextFd += 1;
        return nextFd - 1;
      },
      close: (fd) => {
        at(fd, 'close');
        open.delete(fd);
      },
      read: (fd, target, position) => at(fd, 'read').read(target, position),
      write: (fd, content, position) => {
        const isLast = this.#callsLeft === 0;
        if (isLast) open.get(fd)?.write(content.subarray(0, this.#picks.whole(0, content.length)), position);
        const file = at(fd, 'write');
        const space = this.faults.isFull ? Math.max(0, file.bytes - position) : content.length;
        if (space >= content.length) return file.write(content, position);
        file.write(content.subarray(0, this.#picks.whole(0, space)), position);
        throw systemError('ENOSPC', 'write');
      },
      truncate: (fd, bytes) => at(fd, 'ftruncate').truncate(bytes),
      sync: (fd) => this.#sync(at(fd, 'fdatasync'), owner()),
      syncNow: (fd) => at(fd, 'fsync').sync(Infinity),
      size: (file) => {
        check('stat');
        const found = this.#find(file);
        return found instanceof SimulatedFile ? found.bytes : undefined;
      },
      list: (folder) => {
        check('scandir');
        return [...this.#folder(folder, 'scandir').current.keys()];
      },
      makeFolder: (folder) => {
        check('mkdir');
        this.#makeFolder(folder);
      },
      rename: (from, to) => {
        check('rename');
        this.#rename(from, to);
      },
      remove: (target) => {
        check('rm');
        this.#remove(target);
      },
      removeLater: async (target) => {
        check('rm');
        await this.#pause(owner());
        this.#remove(target);
      },
      syncFolder: async (folder) => {
        check('fsync');
        this.#syncs += 1;
        await this.#pause(owner());
        this.#syncEntries(folder);
      },
      syncFolderNow: (folder) => {
        check('fsync');
        this.#syncEntries(folder);
      },
      lock: (folder) => {
        check('open');
        if (this.#locks.has(folder)) throw dataInUse(folder);
        this.#locks.set(folder, owner());
        return { release: () => void this.#locks.delete(folder) };
      },
    };
  }

  async #sync(file: SimulatedFile, owner: DiskProcess): Promise<void> {
    this.#syncs += 1;
    const changes = file.changes;
    await this.#pause(owner);
    if (!this.#picks.chance(this.faults.failedSyncPercent)) return file.sync(changes);
    file.loseChanges(changes, this.#picks);
    throw systemError('EIO', 'fdatasync');
  }

  /** Never ends when the process does meanwhile. */
  async #pause(owner: DiskProcess): Promise<void> {
    if (this.faults.slowestSyncMs > 0) {
      await sleep(this.#timers, this.#picks.whole(0, this.faults.slowestSyncMs));
    } else await Promise.resolve();
    if (!this.#processes.has(owner)) await new Promise(() => undefined);
  }

  #find(target: string): SimulatedFile | SimulatedFolder | undefined {
    let found: SimulatedFile | SimulatedFolder | undefined = this.#root;
    for (const name of target.split('/').filter((one) => one !== '')) {
      found = found instanceof SimulatedFolder ? found.current.get(name) : undefined;
    }
    return found;
  }

  #folder(folder: string, call: string): SimulatedFolder {
    const found = this.#find(folder);
    if (found instanceof SimulatedFolder) return found;
    throw systemError('ENOENT', call);
  }

  #file(file: string, call: string): SimulatedFile {
    const found = this.#find(file);
    if (found instanceof SimulatedFile) return found;
    throw systemError('ENOENT', call);
  }

  #create(file: string): void {
    if (this.#find(file) !== undefined) return;
    const folder = this.#folder(path.dirname(file), 'open');
    if (this.faults.isFull && this.#picks.chance(50)) throw systemError('ENOSPC', 'open');
    const created = new SimulatedFile();
    this.#change([folder], (kind) => folder[kind].set(path.basename(file), created));
  }

  #makeFolder(target: string): void {
    if (this.#find(target) !== undefined) return;
    this.#makeFolder(path.dirname(target));
    if (this.faults.isFull) throw systemError('ENOSPC', 'mkdir');
    const folder = this.#folder(path.dirname(target), 'mkdir');
    const created = new SimulatedFolder();
    this.#change([folder], (kind) => folder[kind].set(path.basename(target), created));
  }

  #remove(target: string): void {
    if (this.#find(target) === undefined) return;
    const folder = this.#folder(path.dirname(target), 'rm');
    this.#change([folder], (kind) => folder[kind].delete(path.basename(target)));
  }

  #rename(from: string, to: string): void {
    const moved = this.#find(from);
    if (moved === undefined) throw systemError('ENOENT', 'rename');
    const [source, target] = [from, to].map((one) => this.#folder(path.dirname(one), 'rename'));
    if (source === undefined || target === undefined) return;
    this.#change([source, target], (kind) => {
      source[kind].delete(path.basename(from));
      target[kind].set(path.basename(to), moved);
    });
  }

  #change(folders: readonly SimulatedFolder[], apply: EntryChange['apply']): void {
    apply('current');
    this.#changes.push({ folders, apply });
  }

  #syncEntries(target: string): void {
    const folder = this.#folder(target, 'fsync');
    this.#changes = this.#changes.filter((change) => {
      if (!change.folders.includes(folder)) return true;
      change.apply('durable');
      return false;
    });
  }
}

/** The entries of a folder, as programs see them and as they are on the disk. */
class SimulatedFolder {
  current = new Map<string, SimulatedFile | SimulatedFolder>();
  readonly durable = new Map<string, SimulatedFile | SimulatedFolder>();

  losePower(picks: Picks): void {
    this.current = new Map(this.durable);
    for (const entry of this.current.values()) entry.losePower(picks);
  }
}

/** A file: what the disk has of it, what programs read, and the changes between. */
class SimulatedFile {
  #content = new Bytes();
  #durable = new Bytes();
  #changes: Change[] = [];

  get bytes(): number {
    return this.#content.length;
  }

  /** Changes that were not synced. */
  get changes(): number {
    return this.#changes.length;
  }

  read(target: Uint8Array, position: number): number {
    return this.#content.read(target, position);
  }

  write(content: Uint8Array, position: number): void {
    this.#change({ kind: 'write', position, content: Buffer.from(content) });
  }

  truncate(bytes: number): void {
    if (bytes !== this.bytes) this.#change({ kind: 'truncate', bytes });
  }

  damage(position: number): void {
    for (const bytes of [this.#content, this.#durable]) bytes.flip(position);
  }

  /** The oldest changes become durable. */
  sync(changes: number): void {
    for (const change of this.#changes.splice(0, changes)) this.#durable.apply(change);
  }

  /** The oldest changes stay in the page cache only, whatever is synced later. */
  loseChanges(changes: number, picks: Picks): void {
    for (const change of this.#changes.splice(0, changes)) this.#applyInPart(change, picks);
  }

  losePower(picks: Picks): void {
    this.loseChanges(Infinity, picks);
    this.#content = this.#durable.copy();
  }

  #applyInPart(change: Change, picks: Picks): void {
    if (change.kind === 'truncate') {
      if (picks.chance(50)) this.#durable.apply(change);
      return;
    }
    const { position, content } = change;
    for (let from = 0; from < content.length;) {
      const to = Math.min(content.length, from + SECTOR_BYTES - ((position + from) % SECTOR_BYTES));
      if (!picks.chance(UNWRITTEN_PERCENT)) {
        this.#durable.apply({
          kind: 'write',
          position: position + from,
          content: content.subarray(from, to),
        });
        if (picks.chance(FLIPPED_PERCENT)) this.#durable.flip(position + picks.whole(from, to - 1));
      }
      from = to;
    }
  }

  #change(change: Change): void {
    this.#changes.push(change);
    this.#content.apply(change);
  }
}

/** Bytes of any length. */
class Bytes {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  read(target: Uint8Array, position: number): number {
    const end = Math.min(this.#length, position + target.length);
    if (position >= end) return 0;
    target.set(this.#bytes.subarray(position, end));
    return end - position;
  }

  apply(change: Change): void {
    if (change.kind === 'truncate') {
      this.#reserve(change.bytes);
      this.#bytes.fill(0, Math.min(this.#length, change.bytes));
      this.#length = change.bytes;
      return;
    }
    const end = change.position + change.content.length;
    this.#reserve(end);
    this.#bytes.set(change.content, change.position);
    this.#length = Math.max(this.#length, end);
  }

  flip(position: number): void {
    if (position < this.#length) this.#bytes[position] = (this.#bytes[position] ?? 0) ^ 0x10;
  }

  copy(): Bytes {
    const copy = new Bytes();
    copy.#bytes = Buffer.from(this.#bytes.subarray(0, this.#length));
    copy.#length = this.#length;
    return copy;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(bytes, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} in the simulation`), { code, syscall });
}
