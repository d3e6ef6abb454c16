import { readFileSync } from 'node:fs';

export interface Block {
  /** `console` blocks are typed into one shell; `shell` blocks do not end, or not soon. */
  readonly language: 'console' | 'shell';
  readonly commands: readonly Command[];
}

export interface Command {
  readonly text: string;
  /** What the page shows, without the empty lines around it. */
  readonly shown: string;
}

export function blocksOf(page: string): Block[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(console|shell)\n([^]*?)^```$/gm);
  return [...blocks].map(([, language, text = '']) => ({
    language: language as Block['language'],
    commands: commandsIn(text),
  }));
}

/** A command begins with `$ ` and goes on while a quotation is open. */
function commandsIn(text: string): Command[] {
  const commands: { text: string; shown: string }[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (line.startsWith('$ ')) commands.push({ text: line.slice('$ '.length), shown: '' });
    else if (last && isOpen(last.text)) last.text += `\n${line}`;
    else if (last) last.shown += `${line}\n`;
    else throw new Error(`A block begins with output: ${line}`);
  }
  return commands.map((command) => ({ text: command.text, shown: command.shown.trim() }));
}

function isOpen(command: string): boolean {
  return command.split("'").length % 2 === 0;
}
