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

/** Something was to be written of an activity that is not there: it never was, or was removed a moment ago. */
export class NoSuchActivity extends OperatorError {
  constructor(activity: string) {
    super(`There is no activity ${activity}.`, `Add it: ./logistics-connect activity add ${activity} "Its name"`);
  }
}
