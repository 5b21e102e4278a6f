// What one check found.

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
  /** `wrong`: the server will not work as it should; `warning`: it will, but someone should know. */
  readonly verdict: 'ok' | 'warning' | 'wrong';
  readonly message: string;
  /** What to do; '' where there is nothing to do. */
  readonly remedy: string;
}
