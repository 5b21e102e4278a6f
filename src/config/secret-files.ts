// Secrets in separate files, as containers, Kubernetes and systemd provide them: `NAME_FILE` instead of `NAME`.
import { resolve } from 'node:path';
import { readAtMost, type Setting, SettingFault } from './setting-kinds.ts';

/** The variable that names the file with the value of a secret; null for a setting that is no secret. */
export function fileVariable({ name, kind }: Setting): string | null {
  return kind.name === 'secret' ? `${name}_FILE` : null;
}

/**
 * The text of a setting: its variable, or the content of the file that its other variable names. Blank counts as
 * missing.
 * @param folder that relative paths are relative to
 * @throws SettingFault when both are set, or the file cannot be read or is empty: starting without the secret would
 *   store in clear text what it protects
 */
export function givenText(
  setting: Setting,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): string | null {
  const text = environment[setting.name]?.trim() ?? '';
  const variable = fileVariable(setting);
  const path = variable === null ? '' : (environment[variable]?.trim() ?? '');
  if (path === '') return text === '' ? null : text;
  if (text !== '') throw new SettingFault(`and ${variable} are both set: leave one of them out`);
  return readSecret(resolve(folder, path), `in the file of ${variable}`);
}

function readSecret(path: string, where: string): string {
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true }).decode(readAtMost(path, maxBytes + 1)).trim();
  } catch (error) {
    throw new SettingFault(`${where} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (content === '') throw new SettingFault(`${where} is empty: ${path}`);
  if (content.length > maxBytes || /[\0\r\n]/.test(content))
    throw new SettingFault(`${where} must be one line of at most ${maxBytes} bytes`);
  return content;
}

const maxBytes = 8192;
