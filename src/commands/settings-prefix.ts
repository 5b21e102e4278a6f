// The settings of this run as a shell would repeat them before another command.
import type { Addresses } from '../http/route.ts';

const repeated = ['DATA_DIR', 'PORT', 'BASE_URL', 'AUTH_URL'] as const;

/**
 * @param variables environment of this run
 * @param addresses where the server is; spelled out where its port is known to this run alone
 * @returns '' or assignments that end with a blank; a database's password is not repeated, but its variable is
 */
export function settingsPrefix(variables: Readonly<Record<string, string | undefined>>, addresses: Addresses): string {
  const found =
    variables.PORT === '0'
      ? { ...variables, PORT: undefined, BASE_URL: addresses.baseUrl, AUTH_URL: addresses.authUrl }
      : variables;
  const given = repeated.flatMap((name) => {
    const value = found[name];
    return value === undefined || value === '' ? [] : [`${name}=${word(value)} `];
  });
  return given.join('') + ((variables.DATABASE_URL ?? '') === '' ? '' : 'DATABASE_URL="$DATABASE_URL" ');
}

/** As one word of a POSIX shell. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
