import { readFully, type DiskIo } from './disk-io.ts';

/** Open segments of a data folder; a process may have 1,024 open files on many systems. */
const MAX_OPEN = 128;

/** Reads from segments, whose files it keeps open up to a limit. Reads block: most come from the page cache. */
export class SegmentFiles {
  /** In the order of their last use. */
  readonly #open = new Map<string, number>();
  readonly #io: DiskIo;

  constructor(io: DiskIo) {
    this.#io = io;
  }

  /** Reads `bytes` bytes from `position` on; fewer at the end of the file. */
  read(file: string, position: number, bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(bytes);
    return buffer.subarray(0, readFully(this.#io, this.#handle(file), buffer, position));
  }

  /** Closes a file before it is replaced or removed. */
  drop(file: string): void {
    const fd = this.#open.get(file);
    if (fd === undefined) return;
    this.#open.delete(file);
    this.#io.close(fd);
  }

  close(): void {
    for (const file of this.#open.keys()) this.drop(file);
  }

  #handle(file: string): number {
    const known = this.#open.get(file);
    if (known !== undefined) {
      this.#open.delete(file);
      this.#open.set(file, known);
      return known;
    }
    const fd = this.#io.open(file, 'reading');
    this.#open.set(file, fd);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.drop(oldest);
    return fd;
  }
}
