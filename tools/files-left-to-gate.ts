// The files that `npm test` leaves to the gate: what takes longest and is seldom broken while all that stays passes,
// and what needs programs that `npm ci` does not bring. Each folder keeps other tests. Of a file that stays, the tests
// that ask `leftToGate` of test/contract/rounds.ts are left.

/** Paths relative to the root of the project. */
export const filesLeftToGate: readonly string[] = [
  ...['answer-size', 'crash', 'faults', 'large-articles', 'long-pages', 'openapi-linters'].map((name) => `api/${name}`),
  ...['shared-limits', 'upload-memory', 'upload-wire'].map((name) => `api/${name}`),
  ...['account-cipher', 'clients/requests-oauthlib', 'federation-glewlwyd', 'provider-defaults', 'repeats'].map(
    (name) => `auth/${name}`,
  ),
  ...['database-copy', 'prepared-columns', 's3-documents'].map((name) => `backup/${name}`),
  'carriers/papers/invoice',
  ...['audit', 'backup-s3', 'carrier-account', 'carrier-examples', 'carrier-standin'].map((name) => `commands/${name}`),
  ...['demo', 'doctor', 'doctor-documents', 'launcher', 'outbox'].map((name) => `commands/${name}`),
  ...['private-files', 'reconcile', 'restored', 'secret-key'].map((name) => `commands/${name}`),
  'client/package',
  'console/samples',
  ...['faults', 'killed', 'outside', 'over-http', 'parcel-labels', 'proportions', 'reconciliation', 'runner'].map(
    (name) => `demo/${name}`,
  ),
  'deploy/proxies',
  ...['crash', 'memory'].map((name) => `documents/${name}`),
  ...['command-kill', 'kill', 'memory', 'server-kill'].map((name) => `feeds/${name}`),
  ...['kill', 'outside', 'sftp'].map((name) => `feeds/folder/${name}`),
  'generated-clients/generated-clients',
  'growth/growth',
  ...['memory', 'old-memory'].map((name) => `http/${name}`),
  ...['carrier-account-secrets', 'demonstration', 'export', 'reconciliation-pages'].map((name) => `platform/${name}`),
  ...['access-paths', 'distribution', 'long-reads', 'plans', 'pooler', 'replicas', 'sqlite-long-readers'].map(
    (name) => `store/${name}`,
  ),
  'telemetry/lazy',
  'tools/release',
  ...['agreement', 'connections', 'memory', 'serve'].map((name) => `workers/${name}`),
].map((name) => `test/${name}.test.ts`);

/** Of these, a run of the gate has each on one of the two engines: they take longest, and are much alike on both. */
export const filesOnOneEngine: readonly string[] = [
  ...['answer-size', 'faults', 'shared-limits'].map((name) => `api/${name}`),
  'auth/repeats',
  ...['database-copy', 's3-documents'].map((name) => `backup/${name}`),
  ...['commands/secret-key', 'demo/runner', 'feeds/kill'],
  ...['demonstration', 'reconciliation-pages'].map((name) => `platform/${name}`),
  ...['long-reads', 'plans'].map((name) => `store/${name}`),
  ...['agreement', 'memory', 'serve'].map((name) => `workers/${name}`),
].map((name) => `test/${name}.test.ts`);

/** And of these, which need no server, every second run of the gate has each. */
export const filesEverySecondRun: readonly string[] = [
  ...['upload-memory', 'upload-wire'].map((name) => `api/${name}`),
  ...['client/package', 'commands/demo', 'console/samples', 'demo/faults', 'deploy/proxies'],
  ...['documents/memory', 'feeds/memory', 'generated-clients/generated-clients'],
  ...['memory', 'old-memory'].map((name) => `http/${name}`),
  ...['store/distribution', 'tools/release', 'demo/reconciliation', 'feeds/folder/kill', 'demo/parcel-labels'],
].map((name) => `test/${name}.test.ts`);
