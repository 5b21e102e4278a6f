// The result of one check.

export interface Finding {
  readonly subject:
    | 'node'
    | 'settings'
    | 'workers'
    | 'storage'
    | 'replicas'
    | 'backup'
    | 'documents'
    | 'clock'
    | 'keys'
    | 'access'
    | 'outbox'
    | 'feeds'
    | 'labels'
    | 'carriers'
    | 'addresses';
  /** `wrong`: the server will not work properly; `warning`: it will, but someone should know. */
  readonly verdict: 'ok' | 'warning' | 'wrong';
  readonly message: string;
  /** What to do; '' when nothing needs to be done. */
  readonly remedy: string;
}
