// Directus: its own REST interface to the tables, without its web application, caches and limits.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { DATABASE_URL, PORT, TOKEN } = process.env;
Object.assign(process.env, {
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: DATABASE_URL,
  DB_POOL__MIN: '10',
  DB_POOL__MAX: '10',
  HOST: '127.0.0.1',
  PORT,
  SECRET: 'a secret of the comparison, which signs nothing here',
  ADMIN_EMAIL: 'bench@example.com',
  ADMIN_PASSWORD: TOKEN,
  ADMIN_TOKEN: TOKEN,
  SERVE_APP: 'false',
  TELEMETRY: 'false',
  LOG_LEVEL: 'warn',
  CACHE_ENABLED: 'false',
  RATE_LIMITER_ENABLED: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
  WEBSOCKETS_ENABLED: 'false',
});

const require = createRequire(createRequire(import.meta.url).resolve('directus/package.json'));
const api = dirname(require.resolve('@directus/api/package.json'));
// Adds its own tables and the user for the token.
const { status } = spawnSync(process.execPath, [join(api, 'dist/cli/run.js'), 'bootstrap'], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
await import(pathToFileURL(join(api, 'dist/start.js')).href);
