/** An error with a stable code, a verdict whether to try again, and its cause. */
export class SystemError extends Error {
  readonly code: string;
  readonly canRetry: boolean;

  constructor(code: string, message: string, options: { canRetry: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SystemError';
    this.code = code;
    this.canRetry = options.canRetry;
  }
}

/** Broker, registry or network cannot be reached: the message stays on the log and is tried again. */
export class InfrastructureError extends SystemError {
  constructor(code: string, message: string, cause?: unknown) {
    super(code, message, { canRetry: true, cause });
    this.name = 'InfrastructureError';
  }
}

/** What a publisher, consumer or admin call ended with (see ports.ts for the codes). */
export class MessagingError extends SystemError {
  override readonly name = 'MessagingError';
}

/** A setting is wrong: the message names it and what is allowed, and the process does not start. */
export class ConfigError extends SystemError {
  constructor(message: string) {
    super('invalid-configuration', message, { canRetry: false });
    this.name = 'ConfigError';
  }
}

/** The message of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Marks a branch that the types exclude. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
