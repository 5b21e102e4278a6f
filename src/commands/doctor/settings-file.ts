// Checks the settings: whether they are usable, and who can read their file.
import { statSync } from 'node:fs';
import { readSettingsFile, secretsAmong } from '../../config/settings-file.ts';
import type { Finding } from './finding.ts';

/** @param path absolute; null: the settings come from the environment only. The file has just been read */
export function checkSettings(path: string | null): readonly Finding[] {
  const fine = {
    subject: 'settings',
    verdict: 'ok',
    message: `All settings can be used.${path === null ? '' : ` Those of ${path} are among them.`}`,
    remedy: '',
  } as const;
  if (path === null) return [fine];
  const secrets = secretsAmong(readSettingsFile(path));
  const others = statSync(path).mode & 0o077;
  if (secrets.length === 0 || others === 0) return [fine];
  return [
    fine,
    {
      subject: 'settings',
      verdict: 'warning',
      message: `Others on this machine can read or write ${path}, which holds ${secrets.join(', ')}.`,
      remedy: `Run: chmod 600 ${path}`,
    },
  ];
}
