// The program with the settings of this run, in the form in which a shell would repeat them before another command.
import { readSettingsFile } from '../config/settings-file.ts';
import type { Addresses } from '../http/route.ts';
import type { Environment } from './environment.ts';

const repeated = ['DATA_DIR', 'PORT', 'BASE_URL', 'AUTH_URL'] as const;

/**
 * @param environment of this run; settings from its file are expressed by naming the file
 * @param addresses of the server; spelled out when only this run knows the port
 * @returns what to type in a shell before the words of a command; instead of a database's password, it refers to its
 *   variable
 */
export function programWithSettings(
  { variables, settingsFile = null }: Pick<Environment, 'variables' | 'settingsFile'>,
  addresses: Addresses,
): string {
  const ofFile = settingsFile === null ? {} : readSettingsFile(settingsFile);
  const found =
    variables.PORT === '0'
      ? { ...variables, PORT: undefined, BASE_URL: addresses.baseUrl, AUTH_URL: addresses.authUrl }
      : variables;
  const isGiven = (name: string): boolean => {
    const value = found[name] ?? '';
    return value !== '' && value !== ofFile[name];
  };
  const given = repeated.flatMap((name) => (isGiven(name) ? [`${name}=${word(found[name] ?? '')} `] : []));
  const database = ['DATABASE_URL', 'DATABASE_URL_FILE']
    .flatMap((name) => (isGiven(name) ? [`${name}="$${name}" `] : []))
    .join('');
  const config = settingsFile === null ? '' : ` --config ${word(settingsFile)}`;
  return `${given.join('')}${database}./logistics-connect${config}`;
}

/** Quotes one word for a POSIX shell. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
