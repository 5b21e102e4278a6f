// Loaded before each file of a long run: keeps the test runner of Node from following each promise. It does so to tell
// the test that an error outside of any belongs to, and takes a fifth of the processor time. Such an error still fails
// the run, under the name of its file or group; who runs a file by its name is told the test too.
import hooks from 'node:async_hooks';

const { createHook } = hooks;

// The runner makes its hook first of all, when `node:test` is imported.
const createOnce: typeof createHook = (callbacks) => {
  hooks.createHook = createHook;
  return createHook({ ...callbacks, trackPromises: false });
};
hooks.createHook = createOnce;
