// The commands `key …`: keys of programs on the warehouse side.
import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeCommand } from './help.ts';
import { declareAddKey } from './key/add.ts';
import { declareKeyExport } from './key/export.ts';
import { declareKeyImport } from './key/import.ts';
import { declareListKeys } from './key/list.ts';
import { declareRevokeKey } from './key/revoke.ts';

export function declareKey(program: Command, line: CommandLine): void {
  const key = describeCommand(
    program
      .command('key')
      .description('Keys of programs on the warehouse side: they open the platform interface and nothing else.'),
    { examples: ['key add --help', 'key list'] },
  );
  declareAddKey(key, line);
  declareListKeys(key, line);
  declareKeyExport(key, line);
  declareKeyImport(key, line);
  declareRevokeKey(key, line);
}
