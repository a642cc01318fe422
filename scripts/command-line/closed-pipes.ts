/**
 * A reader such as `head` may close the pipe of the output early, or a terminal may be closed. The command then continues, and
 * its result determines the exit code. Any other failure of the output ends it.
 */
export function continueWithClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
