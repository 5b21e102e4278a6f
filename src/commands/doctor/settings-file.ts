// Checks the settings: whether they are usable, and who can read the files with their secrets.
import { type Stats, statSync } from 'node:fs';
import { readSettingsFile, secretFilesAmong, secretsAmong } from '../../config/settings-file.ts';
import type { Environment } from '../environment.ts';
import type { Finding } from './finding.ts';

/** Checks settings that have just been read. */
export function checkSettings({
  settingsFile = null,
  variables,
  folder,
}: Pick<Environment, 'settingsFile' | 'variables' | 'folder'>): readonly Finding[] {
  const fine = {
    subject: 'settings',
    verdict: 'ok',
    message: `All settings can be used.${settingsFile === null ? '' : ` Those of ${settingsFile} are among them.`}`,
    remedy: '',
  } as const;
  return [
    fine,
    ...(settingsFile === null ? [] : checkSettingsFile(settingsFile)),
    ...secretFilesAmong(variables, folder).flatMap(({ name, path }) => checkSecretFile(name, path)),
  ];
}

function checkSettingsFile(path: string): readonly Finding[] {
  const secrets = secretsAmong(readSettingsFile(path));
  if (secrets.length === 0 || (statSync(path).mode & 0o077) === 0) return [];
  return [
    {
      subject: 'settings',
      verdict: 'warning',
      message: `Others on this machine can read or write ${path}, which holds ${secrets.join(', ')}.`,
      remedy: `Run: chmod 600 ${path}`,
    },
  ];
}

/** Where Docker, Kubernetes and systemd put secrets, with rights of their own that only the process itself can use. */
const mounted = /^(?:\/var)?\/run\/(?:secrets|credentials)\//;

/** A group may read such a file: that of the server, where the file belongs to root. */
function checkSecretFile(name: string, path: string): readonly Finding[] {
  const found: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o007) === 0 || mounted.test(path)) return [];
  return [
    {
      subject: 'settings',
      verdict: 'warning',
      message: `Everybody on this machine can read or write ${path}, the file of ${name}.`,
      remedy:
        `Run: chmod 600 ${path}, and chown if it does not belong to the user of the server. ` +
        'It may stay as it is where it is mounted into a container.',
    },
  ];
}
