// Shows an address to the person at the terminal, in the browser that the system prefers.
import { spawn } from 'node:child_process';
import { platform } from 'node:os';

/**
 * Starts the browser and leaves it to itself.
 * @param preferred value of the variable BROWSER: a program that is given the address; undefined for the system's
 * choice
 * @returns false when no program could be started; whether a window appeared, nobody can tell
 */
export async function openBrowser(address: string, preferred: string | undefined): Promise<boolean> {
  const [program, args] = opener(preferred);
  return new Promise((resolve) => {
    // Never through a shell: the address holds characters that shells understand.
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
    // What `start` does, without the shell that `start` belongs to.
    case 'win32':
      return ['rundll32', ['url.dll,FileProtocolHandler']];
    default:
      return ['xdg-open', []];
  }
}
