import type { NameKind, ReportedEvent } from './reported-events.js';

const LANGUAGES: Record<string, string> = { '.ts': 'TypeScript', '.py': 'Python', '.md': 'Markdown' };

/** What stands for names beyond the limit of a day. */
export const OTHER: Record<NameKind, string> = {
  model: '(other)',
  tool: '(other)',
  server: '(other)',
  skill: '(other)',
  command: '(other)',
  hook: JSON.stringify(['(other)', '', '(other)']),
  extension: '(other)',
  language: '(other)',
};

/** What an event is counted as, by kind of name. */
export function namesOf(event: ReportedEvent): [NameKind, string][] {
  switch (event.type) {
    case 'model_call':
      return [['model', String(event.modelId)]];
    case 'tool_call':
      return [
        ['tool', toolName(event)],
        ...(event.mcpServer === undefined ? [] : [['server', clean(event.mcpServer)] as [NameKind, string]]),
      ];
    case 'skill_used':
      return [['skill', clean(event.name)]];
    case 'slash_command':
      return [['command', clean(event.name)]];
    case 'hook_run':
      return [['hook', JSON.stringify([event.event, event.matcher ?? '', event.command].map(clean))]];
    case 'file_created':
    case 'file_edited':
      return [
        ['extension', extension(event)],
        ['language', language(event)],
      ];
    default:
      return [];
  }
}

function clean(name: unknown): string {
  const printable = [...String(name)].filter((character) => !/\p{Cc}/u.test(character)).join('');
  return [...printable.trim()].slice(0, 200).join('').trim();
}

function toolName({ tool }: ReportedEvent): string {
  const name = clean(tool);
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@ -]*$/u.test(name) ? name : 'unknown';
}

function extension(file: ReportedEvent): string {
  const name = clean(file.extension).replace(/^\.+/, '').toLowerCase();
  return name === '' ? '(none)' : `.${name}`;
}

function language(file: ReportedEvent): string {
  return file.language === undefined ? (LANGUAGES[extension(file)] ?? 'Other') : clean(file.language);
}
