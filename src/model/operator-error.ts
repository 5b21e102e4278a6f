// An error for the person who runs the program: one clear line, and what to do.

/** Shown on the command line without a stack trace; the program ends with a non-zero exit code. */
export class OperatorError extends Error {
  /** What to do about it, in one sentence; '' when the message says it. */
  readonly remedy: string;

  constructor(message: string, remedy = '', options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
    this.remedy = remedy;
  }
}
