import type { ToolCall } from '../../src/agent/session/tool-calls.js';

/** A tool call that has been made; `fields` says what is special about it. */
export function finishedCall(fields: Pick<ToolCall, 'id' | 'name' | 'kind'> & Partial<ToolCall>): ToolCall {
  return {
    input: {},
    status: 'completed',
    isFinished: true,
    hasRun: true,
    mcpServer: null,
    command: null,
    files: [],
    paths: [],
    output: '',
    ...fields,
  };
}
