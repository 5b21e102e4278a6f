// Opens an address in the browser that the system prefers, for the person at the terminal.
import { spawn } from 'node:child_process';
import { platform } from 'node:os';

/**
 * Starts the browser and detaches from it.
 * @param preferred value of the variable BROWSER: a program that is given the address; undefined for the system's
 *   choice
 * @returns false when no program could be started; whether a window appeared is unknown
 */
export async function openBrowser(address: string, preferred: string | undefined): Promise<boolean> {
  const [program, args] = opener(preferred);
  return new Promise((resolve) => {
    // Never through a shell: the address contains characters that are special to shells.
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function opener(preferred: string | undefined): readonly [program: string, args: readonly string[]] {
  if (preferred !== undefined && preferred !== '') return [preferred, []];
  switch (platform()) {
    case 'darwin':
      return ['open', []];
    // Equivalent to `start`, without the shell that `start` is part of.
    case 'win32':
      return ['rundll32', ['url.dll,FileProtocolHandler']];
    default:
      return ['xdg-open', []];
  }
}
