import { runEchoAgent } from './echo-agent.js';

await runEchoAgent();
