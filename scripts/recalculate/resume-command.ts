/** The command line that goes on with a run, to be pasted into a shell. */
export function resumeCommand(args: readonly string[]): string {
  const kept = args.filter((argument) => argument !== '--overwrite' && argument !== '--resume');
  return ['npm run recalculate --', ...kept.map(quoted), '--resume'].join(' ');
}

function quoted(argument: string): string {
  return /^[\w./:=,@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
