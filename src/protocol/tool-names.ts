/** One name for the same act of different agents, with the names that agents use; documented in docs/telemetry.md. */
const NAMES: Record<string, string> = {
  Bash: 'execute exec_command shell shell_command local_shell run_shell_command unified_exec terminal',
  Write: 'write_file create_file',
  Edit: 'edit_file replace apply_patch patch multiedit',
  Read: 'read_file view_file',
  Grep: 'grep_search search_file_content',
  Glob: 'glob_search',
  LS: 'list list_directory list_dir',
  WebFetch: 'web_fetch fetch',
  WebSearch: 'web_search google_web_search',
  Task: 'agent spawn_agent spawnagent invoke_agent',
  TodoWrite: 'write_todos update_plan',
  Skill: 'activate_skill',
};

const CANONICAL = new Map(
  Object.entries(NAMES).flatMap(([name, aliases]) =>
    [name.toLowerCase(), ...aliases.split(' ')].map((alias) => [alias, name] as const),
  ),
);

/** Other names, those of MCP tools among them, stay as they are. */
export function toolName(sent: string): string {
  return CANONICAL.get(sent.toLowerCase()) ?? sent;
}
