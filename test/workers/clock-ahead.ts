// Preloaded into a server: the clock of each of its processes goes half a minute ahead once there is a file.
import { existsSync } from 'node:fs';

const { CLOCK_AHEAD_FILE: file = '' } = process.env;
const now = Date.now;
let aheadMs = 0;
Date.now = () => now() + aheadMs;
setInterval(() => {
  if (existsSync(file)) aheadMs = 30_000;
}, 20).unref();
