// The group "platform" of tools/test-plan.ts in one process.
import { runTogether } from './together.ts';

await runTogether('platform');
