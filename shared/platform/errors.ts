/** An error with a stable code. `canRetry`: the same call may succeed later. */
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

/** The broker, registry, network, index or a thread is unavailable. A message stays on its topic for a retry. */
export class InfrastructureError extends SystemError {
  constructor(code: string, message: string, cause?: unknown) {
    super(code, message, { canRetry: true, cause });
    this.name = 'InfrastructureError';
  }
}

/** A failure of a broker client, or of the data folder. The codes are those of BrokerErrorCode in ports.ts. */
export class MessagingError extends SystemError {
  override readonly name = 'MessagingError';
}

/** The process cannot start with this configuration. The message names the fault and what to do. */
export class ConfigError extends SystemError {
  constructor(message: string) {
    super('invalid-configuration', message, { canRetry: false });
    this.name = 'ConfigError';
  }
}

/** The message of a thrown value, which need not be an Error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
